"""Answers for an editor while its files are being edited.

Workspace(project)              the project with the unsaved texts of open documents
answer(workspace, "hover", …)   one question of QUESTIONS, answered in plain values

See `lineal.service.editor.questions`. The language server asks these, and computes no lineage.
"""
