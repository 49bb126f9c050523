"""How lineage reaches a catalog.

profiles.py   where each catalog takes events, and in which form
send.py       events to the console, a file, or a server
"""
