"""The `lineal` that hands its work to shared.py; LINEAL_SMOKE_SOCKET says where that listens."""

from __future__ import annotations

import json
import os
import socket
import sys
from pathlib import Path

MOST = 64

variables = dict(os.environ)
address = variables.pop("LINEAL_SMOKE_SOCKET")
request = {"arguments": sys.argv[1:], "folder": str(Path.cwd()), "variables": variables}
with socket.socket(socket.AF_UNIX) as server:
    server.connect(address)
    socket.send_fds(server, [json.dumps(request).encode()], [0, 1, 2])
    said = server.recv(MOST)
sys.exit(int(said) if said else 70)
