"""The program on a console that is not UTF-8."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.sampling import some

ROOT = Path(__file__).parents[4]
BARE = {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}  # Python would help itself out
RUN = ["main.py", "run", "halve_egg", "--robot", "symbolic", "--no-pictures", "--seed", "3"]


@pytest.mark.long
@pytest.mark.parametrize(
    "set_to",
    some([*({"PYTHONIOENCODING": x} for x in ("ascii", "cp1252", "latin-1")), {"LC_ALL": "C"}, BARE], 3),
    ids=str,
)
def test_that_an_episode_goes_on_whatever_can_be_shown(set_to: dict[str, str], tmp_path: Path) -> None:
    words = [sys.executable, *RUN, "--database", str(tmp_path / "log.db")]
    done = subprocess.run(words, cwd=ROOT, env=os.environ | set_to, capture_output=True)
    assert done.returncode == 0, done.stderr.decode(errors="replace")
    assert b"goal reached" in done.stdout
    assert (b"  1  > find" in done.stdout) == (set_to != {"LC_ALL": "C"}), "a mark that can be shown"


def test_that_a_mark_or_a_letter_becomes_the_nearest_ascii() -> None:
    assert talk("print('✓ ▸ Käse 25 °C…')", "ascii") == b"+ > Kase 25  degC...\n"
    assert talk("print('鍋 ✓')", "latin-1") == b"? +\n"
    assert talk("print('✓')", "utf-8") == "✓\n".encode()


def test_that_stop_says_what_it_found_on_any_console() -> None:
    """And not that it did not get through."""
    found = "stop_now.stop_all = lambda: StopResult((), ('The folder läuft is gone',))"
    code = f"from app.cli import stop_now; from core.stop.stop_all import StopResult; {found}; "
    done = subprocess.run(
        [sys.executable, "-c", code + "print(stop_now.stop_everything())"], cwd=ROOT,
        env=os.environ | {"PYTHONIOENCODING": "ascii"}, capture_output=True, text=True,
    )  # fmt: skip
    assert done.stdout == "3\n"
    assert done.stderr.startswith("The folder lauft is gone, so ")


def test_that_what_cannot_be_read_is_no_fault() -> None:
    assert talk("print(input())", "ascii", b"y\xff\n") == b"y?\n"


def talk(code: str, encoding: str, given: bytes = b"") -> bytes:
    code = f"from app.cli.output.any_terminal import accept_any_terminal; accept_any_terminal(); {code}"
    environment = os.environ | {"PYTHONIOENCODING": encoding}
    return subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=environment, input=given, capture_output=True, check=True
    ).stdout
