"""Find the program's own files, the user's, and its command: in a checkout or installed."""

from __future__ import annotations

import sys
import tomllib
from functools import cache
from importlib import metadata
from pathlib import Path

# The folder of main.py, app, core, robots, domains and resources: the checkout, or an environment's
# site-packages. A process of our own is started in it, to find these modules.
ROOT = Path(__file__).resolve().parents[1]
INSTALLED = ROOT.name in ("site-packages", "dist-packages")
COMMAND = "dkprompt" if INSTALLED else "python main.py"


def resource_path(*names: str) -> Path:
    """Return the path of a shipped file or folder: `resource_path("resources", "fonts")`."""
    return ROOT.joinpath(*names)


def data_folder() -> Path:
    """Return the user's data folder, where the episodes are kept unless another path is given."""
    from platformdirs import user_data_path

    return user_data_path("dkprompt-console")


@cache
def version() -> str:
    """Return this program's version, in a checkout that of its pyproject.toml."""
    if INSTALLED:
        return metadata.version("dkprompt-console")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    return str(project["version"])


def install_extra(extra: str) -> str:
    """Return the command that installs an optional package, given its extra's name in pyproject.toml."""
    if extra == "ur5e" and sys.version_info >= (3, 13):  # no wheel: it is built
        return "pipx install --python python3.12 'THE_CHECKOUT[ur5e]'" if INSTALLED else "make arm-driver"
    if INSTALLED:
        return f"pipx install --force 'THE_CHECKOUT[{extra}]'"
    return f".venv/bin/pip install -e '.[{extra}]'"
