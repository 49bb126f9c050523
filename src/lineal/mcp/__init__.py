"""The tool server for agents (Model Context Protocol): `lineal mcp`.

build_server(worker)      tools, resources and prompts over the answers of a worker
"""
