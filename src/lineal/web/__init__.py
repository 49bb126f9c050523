"""The page, the local server, and the sending of events.

page.js, page.css   the page's program and style, built from web/ at the top of the repository by
                    esbuild
data.py             what the page knows, as numbers and words
page.py             one HTML file that needs nothing else: program, style and data in one
server.py           the local server: who may ask, how much may be sent, and a table of routes
ingest.py           the route that takes OpenLineage events in
send.py             OpenLineage events to the console or a file, and through OpenLineage's own
                    client to a server

A part of the server is a table of routes, (method, path) → what answers; `lineal serve` puts the
tables together.
"""
