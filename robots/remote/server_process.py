"""The process of a simulator that the console has started (`OwnServer`).

Run: `python -m robots.remote.server_process NAME`. In: the token, one line; its end ends the process. Out:
the port, one line.
"""

from __future__ import annotations

import os
import sys
from threading import Thread

from robots.registry import ROBOTS
from robots.remote.serving import make_server, serve


def main() -> None:
    """Serve one robot of the registry, to the process that started this one."""
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what a simulator prints is a line for people
    token = sys.stdin.readline().strip().encode()
    server = make_server(sys.argv[1], {}, ROBOTS, token)
    print(server.port, file=out, flush=True)

    def end_with_parent() -> None:
        sys.stdin.read()
        server.close()

    Thread(target=end_with_parent, daemon=True).start()
    serve(server, lambda text: print(text, file=sys.stderr))
    os._exit(0)  # whatever a simulator has left running


if __name__ == "__main__":
    main()
