"""Find the program's own files, the user's, and its command: in a checkout or installed."""

from __future__ import annotations

import re
import sys
from functools import cache
from importlib.util import find_spec
from pathlib import Path

# The folder of main.py, app, core, robots, domains and resources: the checkout, or an environment's
# site-packages. A process of our own is started in it, to find these modules.
ROOT = Path(__file__).resolve().parents[1]
INSTALLED = ROOT.name in ("site-packages", "dist-packages")
COMMAND = "dkprompt" if INSTALLED else "python main.py"
PACKAGE = "dkprompt-console"


def resource_path(*names: str) -> Path:
    """Return the path of a shipped file or folder: `resource_path("resources", "fonts")`."""
    return ROOT.joinpath(*names)


def data_folder() -> Path:
    """Return the user's data folder, where the episodes are kept unless another path is given."""
    from platformdirs import user_data_path

    return user_data_path("dkprompt-console")


def config_folder() -> Path:
    """Return the user's configuration folder, with what the window remembers."""
    from platformdirs import user_config_path

    return user_config_path("dkprompt-console")


@cache
def version() -> str:
    """Return this program's version, in a checkout that of its pyproject.toml."""
    import tomllib  # only here: every process of ours would load it and the next, which takes 40 ms
    from importlib import metadata

    if INSTALLED:
        return metadata.version(PACKAGE)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    return str(project["version"])


CONFIG_FILES = {
    "console.toml": "the window's last set-up, colours, levels and layouts",
    "window.toml": "where its panels were",
}
DATA_FILES = {  # what the data folder may hold
    "episodes.db": "the log",
    "episodes.db-wal, episodes.db-shm": "its newest records, while it is open: never delete them",
    "episodes.db-pictures/": "pictures larger than 128 KiB, by their SHA-256",
    "episodes.db-films/": "live video in segments, by their SHA-256; `.part` is one that is being written",
    "episodes.db-strips/": "the picture strip of each episode that ran in a terminal",
    "strips/": "the same, of version 0.1.0",
    "episodes.db-live/": "a locked file for each program that is writing, with the number of its last record",
    "episodes.db.before-VERSION": "the log as it was before an upgrade: remove it when you need no way back",
    "knowledge/": "what was learnt about each domain",
    "domains/": "domains of your own, by name",
    "eye/, eyes/": "eyes that you trained, and the versions that you taught",
    "models/, prompts/, profiles/, calibrations/": "presets and prices, prompts, error rates, confidence",
    "remote-token": "the secret of robots elsewhere",
    "running/": "what `stop` needs to reach each program",
}


def install_extra(extra: str) -> str:
    """Return the command that installs an optional package, given its extra's name in pyproject.toml."""
    no_wheel = extra == "ur5e" and sys.version_info >= (3, 13)
    if not INSTALLED:
        return "make arm-driver" if no_wheel else f".venv/bin/pip install -e '.[{extra}]'"
    import json
    from importlib import metadata

    with_pipx = "pipx" in Path(sys.prefix).parts
    if no_wheel and with_pipx:  # it is built in a checkout only
        return f"pipx reinstall --python python3.12 {PACKAGE}"
    if no_wheel:
        wheel = json.loads(metadata.distribution(PACKAGE).read_text("direct_url.json") or "{}").get("url")
        wanted = f"{PACKAGE}[{extra}]" + (f" @ {wheel}" if wheel else "")
        return f"python3.12 -m venv ENV && ENV/bin/pip install '{wanted}'"
    named = re.compile(rf"""extra == ["']{extra}["']""")
    needs = [need.split(";")[0].strip() for need in metadata.requires(PACKAGE) or () if named.search(need)]
    packages = " ".join(f"'{need}'" for need in needs)
    if with_pipx:
        return f"pipx inject {PACKAGE} {packages}"
    python = sys.executable
    pip = f"{python} -m pip install" if find_spec("pip") else f"uv pip install --python {python}"
    return f"{pip} {packages}"


def uninstall(package: str) -> str:
    """Return the command that takes a package out of where this program runs."""
    pipx = f"pipx runpip {PACKAGE}" if "pipx" in Path(sys.prefix).parts else f"{sys.executable} -m pip"
    return f"{pipx} uninstall {package}"


_PAGE = re.compile(r"`?\bdocs/([\w/-]+)\.md`?")
_ARM = re.compile(r"\bmake arm\b(?!-)")
_INSTALL = re.compile(r"(?:\.venv/bin/)?pip install -e '\.\[([\w-]+)\]'")


def as_called_here(text: str) -> str:
    """Return a text of ours with command, pages and installation as they are where this program runs."""
    if not INSTALLED:
        return text
    text = _PAGE.sub(rf"`{COMMAND} docs \1`", text.replace("python main.py", COMMAND))
    text = _ARM.sub(f"{COMMAND} --robot ur5e", text)
    return _INSTALL.sub(lambda match: install_extra(match[1]), text)
