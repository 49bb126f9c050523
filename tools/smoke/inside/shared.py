"""Runs commands of lineal one after the other in one process, so that they share a Spark.

    python shared.py SOCKET

A request is what `lineal` was called with: its arguments, folder and variables as JSON, and its
three streams as file descriptors. The answer is the exit code. client.py is the `lineal` that sends
requests.
"""

from __future__ import annotations

import contextlib
import json
import os
import socket
import sys
import traceback
from pathlib import Path
from typing import Any

import program
from pyspark import SparkContext, java_gateway

MOST = 1 << 20


def serve(address: str) -> None:
    share_the_jvm()
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(address)
        server.listen()
        while True:
            client, _ = server.accept()
            with client:
                text, streams, _, _ = socket.recv_fds(client, MOST, 3)
                code = answer(json.loads(text), streams)
                client.sendall(str(code).encode())


def share_the_jvm() -> None:
    """A session that is started after another one has been stopped gets the same Java process."""
    launch = java_gateway.launch_gateway

    def launch_java(*arguments: Any, **named: Any) -> Any:
        return SparkContext._gateway or launch(*arguments, **named)

    java_gateway.launch_gateway = launch_java


def answer(request: dict[str, Any], streams: list[int]) -> int:
    kept = [os.dup(stream) for stream in (0, 1, 2)]
    os.environ.clear()
    os.environ.update(request["variables"])
    os.chdir(request["folder"])
    try:
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
        return run(request["arguments"])
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        for number, stream in enumerate(kept):
            os.dup2(stream, number)
        for stream in (*kept, *streams):
            os.close(stream)
        if SparkContext._active_spark_context is not None:
            SparkContext._active_spark_context.stop()


def run(arguments: list[str]) -> int:
    from lineal.cli import main

    try:
        if arguments[0] == "--program":
            program.run_program(arguments[1])
        else:
            main(args=arguments, prog_name="lineal")
    except SystemExit as leaving:
        if leaving.code is None or isinstance(leaving.code, int):
            return leaving.code or 0
        print(leaving.code, file=sys.stderr)
        return 1
    except BaseException:
        traceback.print_exc()
        return 1
    return 0


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        serve(str(Path(sys.argv[1])))
