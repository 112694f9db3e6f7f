"""The options of OmniGibson, and which interpreter they name."""

from __future__ import annotations

import os

from pydantic import Field

from core.errors import BadValue
from core.registry import Options

PYTHON_VARIABLE = "DKPROMPT_OMNIGIBSON"
NAME_ANOTHER = f"give robot.python, or set {PYTHON_VARIABLE}, to the bin/python of OmniGibson's environment"


class OmniGibsonOptions(Options):
    """Options of OmniGibson."""

    python: str = Field(
        "",
        title="Interpreter",
        description="The Python of the environment that OmniGibson is installed in; empty: the one that "
        f"{PYTHON_VARIABLE} names.",
    )
    scene: str = Field(
        "",
        title="Scene",
        description="A scene of the data set; empty: the first that has the task's activity.",
    )
    robot: str = Field("Fetch", title="Robot", description="A robot of OmniGibson: Fetch, Tiago, R1Pro.")
    window: bool = Field(False, title="Window", description="Show Isaac Sim's own window as well.")


def interpreter(options: OmniGibsonOptions) -> str:
    """Return the interpreter that OmniGibson runs in. Raises BadValue if none is named."""
    named = os.path.expanduser(options.python or os.environ.get(PYTHON_VARIABLE, ""))
    if not named:
        raise BadValue(
            f"OmniGibson runs in a Python of its own, and none is named: {NAME_ANOTHER}; docs/omnigibson.md "
            "says how to install it."
        )
    return named
