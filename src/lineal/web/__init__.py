"""The page: one HTML file that shows a lineage and needs nothing else, no network and no server.

page.js, page.css   the page's program and style, built from web/ at the top of the repository by esbuild
data.py             what the page knows, as numbers and words
page.py             the file: program, style and data in one
"""
