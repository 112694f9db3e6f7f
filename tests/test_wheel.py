"""The program as `pipx install .` leaves it: its wheel in an environment of its own, called from anywhere."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest

from core.install_paths import DATA_FILES, data_folder, resource_path

pytestmark = pytest.mark.long  # also of `make fresh`
ROOT = Path(__file__).parents[1]
PARTS = ("app", "core", "robots", "domains", "resources", "docs", "main.py", "pyproject.toml", "README.md")


def ran(*words: str | Path, cwd: Path) -> str:
    env = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "DISPLAY")}
    done = subprocess.run(words, cwd=cwd, env=env, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A fresh environment with the wheel; the locked packages come from this one."""
    place = tmp_path_factory.mktemp("wheel")
    source, environment = place / "source", place / "environment"
    source.mkdir()
    for part in (*PARTS, "LICENSE"):
        copy = shutil.copytree if (ROOT / part).is_dir() else shutil.copy
        copy(ROOT / part, source / part)
    venv.create(environment, with_pip=False)
    python = environment / "bin" / "python"
    packages = ran(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", cwd=place).strip()
    (Path(packages) / "locked.pth").write_text(sysconfig.get_path("purelib"))
    pip = (sys.executable, "-m", "pip", "--python", python, "install", "-q", "--no-compile")
    ran(*pip, "--no-deps", "--no-index", "--no-build-isolation", source, cwd=place)
    return environment


@pytest.fixture
def dkprompt(installed: Path, tmp_path: Path):
    """dkprompt("tasks") -> what it prints, from an empty folder."""
    return lambda *words: ran(installed / "bin" / "dkprompt", *words, cwd=tmp_path)


def test_that_the_shipped_domains_are_there(dkprompt) -> None:
    tasks = dkprompt("tasks")
    assert "boil_water" in tasks and "collect_toys" in tasks


def test_that_it_runs_an_episode_and_says_how_to_see_it_again(dkprompt) -> None:
    said = dkprompt("run", "halve_egg", "--no-pictures")
    assert "confirms that the goal is reached" in said, "the goal was reached"
    assert "dkprompt episodes show" in said
    kept = {path.name for path in data_folder().iterdir()}
    assert kept and all(name in " ".join(DATA_FILES) for name in kept), "the reference lists each"


def test_that_everything_shipped_is_in_the_wheel(installed: Path) -> None:
    (packages,) = (installed / "lib").glob("python*/site-packages")
    for folder, kind in (("domains", "*"), ("resources", "*"), ("docs", "*.md"), ("docs/examples", "*.py")):
        files = {p.relative_to(ROOT) for p in resource_path(folder).rglob(kind) if p.is_file()}
        assert files and all((packages / file).is_file() for file in files)


def test_that_a_page_names_the_commands_of_an_installation(dkprompt) -> None:
    page = dkprompt("docs", "ur5e")
    assert "dkprompt emulate ur5e" in page and "python main.py" not in page and "install -e" not in page
    install = "python3.12 -m venv ENV" if sys.version_info >= (3, 13) else "-m pip install"
    assert install in page and "ur_rtde" in page, "where there is a wheel, with the requirement's own name"


def test_that_the_changes_are_a_page(dkprompt) -> None:
    assert "## 0.2.0" in dkprompt("docs", "changelog")


def test_that_the_desktop_finds_entry_and_icon(installed: Path) -> None:
    entry = (installed / "share" / "applications" / "dkprompt-console.desktop").read_text()
    assert "Exec=dkprompt" in entry and "Icon=dkprompt-console" in entry
    assert (installed / "share/icons/hicolor/scalable/apps/dkprompt-console.svg").is_file()
