"""Where this program's own files are, and how it is called: in a checkout, and installed from its wheel."""

from __future__ import annotations

from pathlib import Path

# The folder of main.py, app, core, robots, domains and resources: the checkout, or an environment's
# site-packages. A process of our own is started in it, to find these modules.
ROOT = Path(__file__).resolve().parents[1]
INSTALLED = ROOT.name in ("site-packages", "dist-packages")
COMMAND = "dkprompt" if INSTALLED else "python main.py"


def resource_path(*names: str) -> Path:
    """Return the path of a file or folder that comes with the program: `shipped("resources", "fonts")`."""
    return ROOT.joinpath(*names)


def install_extra(extra: str) -> str:
    """Return the command that adds an optional package, by the name of its extra in pyproject.toml."""
    if INSTALLED:
        return f"pipx install --force 'THE_CHECKOUT[{extra}]'"
    return f".venv/bin/pip install -e '.[{extra}]'"
