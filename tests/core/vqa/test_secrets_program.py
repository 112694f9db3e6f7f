"""The whole program with a planted key: everything it writes and prints, whole and crashed, is searched."""

from __future__ import annotations

import base64
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from core.vqa.mock.faults import Fault
from core.vqa.mock.mock_server import MockServer
from tests.core.vqa.conftest import Serve

ROOT = Path(__file__).parents[3]
KEY = "sk-planted-fedcba9876543210"
SIGNS = (KEY.encode(), KEY[:14].encode(), base64.b64encode(KEY.encode()), KEY.encode("utf-16-le"))
RUN = ("run", "halve_egg", "--robot", "symbolic", "--seed", "3")
VERBS = """
import json, sys
from app.cli.command_line import command_line
from main import program

for words in json.loads(sys.argv[1]):
    command_line(program())(words, standalone_mode=False)
"""
BOOM = """
import sys
from core.vqa.registry import ModelSettings, make_answerer
from core.stop_token import StopToken
from core.belief import Atom, Query
from core.ports import Frame

def boom(text):
    raise RuntimeError("whoever was told of the wait broke")

answerer = make_answerer(sys.argv[1], asking=ModelSettings(notify=boom))
answerer.answer(Frame("f", png=b"x"), [Query(Atom("a"), "Is it?")], 1, StopToken())
"""


@pytest.fixture
def home(tmp_path: Path) -> dict[str, str]:
    """An environment with the key, in which everything is written below `tmp_path`."""
    places = {name: str(tmp_path) for name in ("HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME")}
    return {**os.environ, **places, "DKPROMPT_API_KEY": KEY, "PYTHONFAULTHANDLER": "1"}


def program(home: dict[str, str], *words: str) -> bytes:
    """What it printed."""
    ran = subprocess.run(
        [sys.executable, *words],
        cwd=ROOT, env=home, stdin=subprocess.DEVNULL, capture_output=True, timeout=120, check=False,
    )  # fmt: skip
    return ran.stdout + ran.stderr


def clean(written: bytes) -> bool:
    return not any(sign in written for sign in SIGNS)


def keyed(server: MockServer) -> bool:
    return bool(server.received) and all(
        received.headers.get("authorization") == f"Bearer {KEY}" for received in server.received
    )


def test_that_a_planted_key_is_in_nothing_that_episodes_write_or_print(
    serve: Serve, home: dict[str, str], tmp_path: Path
) -> None:
    faults = [*Fault]
    server = serve(faults=lambda call: faults[call % len(faults)] if call % 2 else Fault.NONE, delay=0.01)
    log, database = str(tmp_path / "log.db"), ("--database", str(tmp_path / "log.db"))
    again = ("reask", "--answerer", server.url, "--cache", str(tmp_path / "kept.db"))
    verbs: list[tuple[str, ...]] = [(*RUN, "--answerer", server.url, *database)]
    verbs += [("doctor", "--model", server.url)]
    verbs += [(*again, "--to", str(tmp_path / "again.jsonl"), *database)]
    verbs += [("episodes", "show", "2", *database)]
    for name in ("all.jsonl", "questions.csv", "one.html"):
        one = ("2",) if name == "one.html" else ()
        verbs += [("episodes", "export", *one, "--to", str(tmp_path / name), *database)]
    printed = program({**home, "PYTHONPATH": str(ROOT)}, "-c", VERBS, json.dumps(verbs))
    assert keyed(server) and len(server.received) > 5
    assert b"Waiting" in printed and b"Model" in printed and b"agreed" in printed
    files = {path.name: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert {Path(log).name, "all.jsonl", "questions.csv", "one.html", "again.jsonl", "kept.db"} <= set(files)
    assert not [name for name, content in files.items() if not clean(content)]
    assert clean(printed)


@pytest.mark.long
def test_that_a_planted_key_is_not_in_a_crash_dump(
    serve: Serve, home: dict[str, str], tmp_path: Path
) -> None:
    server = serve(faults=lambda call: Fault.DELAY, delay=60)
    process = subprocess.Popen(
        [sys.executable, "main.py", *RUN, "--answerer", server.url, "--database", str(tmp_path / "log.db")],
        cwd=ROOT, env=home, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    end = time.monotonic() + 60
    while not server.received and time.monotonic() < end:
        time.sleep(0.02)
    process.send_signal(signal.SIGABRT)
    out, err = process.communicate(timeout=60)
    assert keyed(server)
    assert b"Fatal Python error: Aborted" in err and b"model.py" in err
    assert clean(out + err)
    assert all(clean(path.read_bytes()) for path in tmp_path.rglob("*") if path.is_file())


@pytest.mark.long
def test_that_a_planted_key_is_not_in_an_uncaught_exceptions_traceback(
    serve: Serve, home: dict[str, str]
) -> None:
    server = serve(faults=lambda call: Fault.BUSY, delay=0.01)
    said = program({**home, "PYTHONPATH": str(ROOT)}, "-c", BOOM, server.url)
    assert keyed(server)
    assert b"Traceback" in said and b"whoever was told of the wait broke" in said
    assert clean(said)
