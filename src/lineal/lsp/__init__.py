"""The language server: `lineal lsp`.

serve(start, stream)      answers a client from a worker; see `lineal.service.editor`
"""
