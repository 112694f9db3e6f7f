"""What the program stands on: the pins, and the defects that they keep out (docs/decisions.md)."""

import os
import re
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions, version
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parent.parent
LOCKS = [ROOT / "requirements.txt", ROOT / "requirements-dev.txt"]

COUNT_REFERENCES = """
import sys
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QApplication, QLabel, QWidget

class Painted(QWidget):
    def paintEvent(self, event):
        painter = QPainter(self)
        painter.drawText(5, 15, "x")
        painter.end()

def exercise(times):
    for number in range(times):
        widget.repaint()
        label.setText(str(number))

application = QApplication([])
widget, label = Painted(), QLabel()
widget.show()
exercise(10)
before = [sys.getrefcount(one) for one in (None, True, False)]
exercise(500)
after = [sys.getrefcount(one) for one in (None, True, False)]
print(max(abs(a - b) for a, b in zip(after, before)))
"""


def pins(lock: Path) -> dict[str, str]:
    return dict(re.findall(r"^([A-Za-z0-9_.-]+)==(\S+)", lock.read_text(), re.MULTILINE))


def test_that_repainting_leaves_the_reference_counts_alone() -> None:
    done = subprocess.run(
        [sys.executable, "-c", COUNT_REFERENCES],
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, f"Qt aborted the process:\n{done.stderr}"
    assert int(done.stdout) < 100, "repaints and setText lose references, as PySide6 6.12.0 did"


def test_that_opencv_is_the_headless_one() -> None:
    assert set(packages_distributions()["cv2"]) == {"opencv-python-headless"}


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.stem)
def test_that_a_lock_hashes_every_package_and_names_no_address(lock: Path) -> None:
    lines = [line for line in lock.read_text().splitlines() if line and not line.startswith("#")]
    packages = re.split(r"\n(?=\S)", "\n".join(lines))
    assert len(packages) > 50
    marker = r"( ; python_version < \"3\.13\")?"
    for package in packages:
        assert re.fullmatch(rf"\S+==\S+{marker}( \\\n    --hash=sha256:[0-9a-f]{{64}})+", package), package


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.stem)
def test_that_the_locks_are_what_pyproject_asks_for(lock: Path) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    wanted = [*project["dependencies"], *extras["fast-downward"], *extras["ur5e"], *extras["video"]]
    if lock.stem == "requirements-dev":
        wanted += extras["dev"]
    pinned = {name.lower().replace("_", "-"): pin for name, pin in pins(lock).items()}
    for line in wanted:
        asked = Requirement(line)
        assert asked.specifier.contains(pinned[asked.name.lower().replace("_", "-")]), line


def test_that_both_locks_agree() -> None:
    run, dev = map(pins, LOCKS)
    assert run.items() <= dev.items()


def test_that_what_is_installed_is_what_is_locked() -> None:
    for line in re.findall(r"^\S+==.*(?= \\$)", LOCKS[1].read_text(), re.MULTILINE):
        locked = Requirement(line)
        if not locked.marker or locked.marker.evaluate():
            assert locked.specifier.contains(version(locked.name)), f"{line}: call make setup"
