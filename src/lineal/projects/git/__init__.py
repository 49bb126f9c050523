"""Revisions of a git repository as plain folders: read, never checked out, and nothing of the
repository is run.

    repository = Repository.around("models")
    with repository.revision("main") as snapshot: load(snapshot.folder)
    with repository.work_tree() as snapshot: load(snapshot.folder)

Objects are read as they are stored (ls-tree, cat-file): no hooks, no filters, no attributes, no
network.
"""

from lineal.projects.git.repository import Commit, Repository
from lineal.projects.git.snapshot import Snapshot

__all__ = ["Commit", "Repository", "Snapshot"]
