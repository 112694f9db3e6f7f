"""Where the program's own files are and how it is started, in a checkout or installed from its wheel."""

from __future__ import annotations

from pathlib import Path

# The folder of main.py, app, core, robots, domains and resources: the checkout, or an environment's
# site-packages. A process of our own is started in it, to find these modules.
ROOT = Path(__file__).resolve().parents[1]
INSTALLED = ROOT.name in ("site-packages", "dist-packages")
COMMAND = "dkprompt" if INSTALLED else "python main.py"


def resource_path(*names: str) -> Path:
    """Return the path of a shipped file or folder: `resource_path("resources", "fonts")`."""
    return ROOT.joinpath(*names)


def install_extra(extra: str) -> str:
    """Return the command that installs an optional package, given its extra's name in pyproject.toml."""
    if INSTALLED:
        return f"pipx install --force 'THE_CHECKOUT[{extra}]'"
    return f".venv/bin/pip install -e '.[{extra}]'"
