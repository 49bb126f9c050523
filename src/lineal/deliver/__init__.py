"""How lineage reaches a catalog.

profiles.py   where each catalog takes events, and in which form
send.py       events to the console, a file, or a server
batches.py    several events in one request
delivery.py   what a catalog takes, what arrived and what is left
journal.py    a file of events that are still to be sent
native/       catalogs by their own interfaces
"""
