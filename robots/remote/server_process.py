"""The process of a simulator that the console has started (`OwnServer`).

Run: `python -m robots.remote.server_process NAME`. In: the token; the end of the connection ends the process.
Out: the port.
"""

from __future__ import annotations

import os
import sys
from threading import Thread

from robots.registry import ROBOTS
from robots.remote.connection import inherited_connection
from robots.remote.handshake import HELLO_TIMEOUT
from robots.remote.serving import make_server, serve


def main() -> None:
    """Serve one robot of the registry, to the process that started this one."""
    console = inherited_connection()
    token = console.receive(HELLO_TIMEOUT).text("token").encode()
    server = make_server(sys.argv[1], {}, ROBOTS, token)
    console.send("listens", port=server.port)

    def end_with_parent() -> None:
        for _ in console.messages():
            pass
        server.close()

    Thread(target=end_with_parent, daemon=True).start()
    serve(server, lambda text: print(text, file=sys.stderr))
    os._exit(0)  # whatever a simulator has left running


if __name__ == "__main__":
    main()
