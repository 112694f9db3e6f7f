"""`serve`: serve a simulator to a console in another process or on another machine."""

from __future__ import annotations

from pathlib import Path

import typer
from typer import Argument, Option

from app.cli import completion
from app.cli.help_text import CommandLine
from app.cli.options import PartOptions, Plugins, component_options
from app.cli.output.printing import print_text

DEFAULT_PORT = 8790
cli = CommandLine()


@cli.command()
def serve(
    context: typer.Context,
    robot: str = Argument(
        "kitchen",
        help="A simulator: kitchen, symbolic, or one of your plug-ins.",
        autocompletion=completion.component("robots"),
    ),
    port: int = Option(DEFAULT_PORT, min=0, max=65535, help="0: any that is free."),
    host: str = Option(
        "127.0.0.1", help="Where it listens. By default only programs of this machine can connect."
    ),
    token_file: Path | None = Option(
        None, help="The file with the token that a console must know; made if missing."
    ),
    option: PartOptions = None,
    plugins: Plugins = None,
) -> None:
    """Serve a simulator, and let a console drive it: `--robot remote:HOST:PORT`.

    A first try, in two terminals: `serve kitchen` here, then there the line that it prints. The console
    brings task, seed and pace; each episode gets a world of its own. One console at a time.

    Nothing moves without a permit from the console's gate, and it stops by itself when the console is
    gone or silent. Real robots are not served.

    Exit 0: it was ended with Ctrl+C. 2: the input is wrong, or the port is taken.
    """
    options = component_options(option, "robot")
    context.obj.serve(robot, options, host, port, str(token_file or ""), print_text)
