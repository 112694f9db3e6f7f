"""What fails while a robot is made is what the person reads, and nothing of it is left."""

from __future__ import annotations

import ast
import gc
import re
import threading
from pathlib import Path

import pytest

from core.errors import RobotError
from core.planning import domain_library
from robots.registry import make_robot
from robots.ur5e.emulator.process import start_emulator
from robots.ur5e.tabletop import emulated_robot, hardware
from tests.robots.ur5e.conftest import ROOT, until


def test_that_a_constructor_calls_close_only_where_nobody_extends_it() -> None:
    """A subclass's `close` needs what its constructor has not made yet, and its error hides the reason."""
    ours = [p.read_text("utf-8") for top in ("core", "app", "robots") for p in Path(ROOT, top).rglob("*.py")]
    classes = [
        node
        for code in ours
        if "self.close()" in code
        for node in ast.walk(ast.parse(code))
        if isinstance(node, ast.ClassDef)
    ]
    heads = [bases for code in ours for bases in re.findall(r"^ *class \w+\(([^)]*)\)", code, re.MULTILINE)]
    extended = {base.strip().rpartition(".")[2] for bases in heads for base in bases.split(",")}
    makers = [(c, f) for c in classes for f in c.body if getattr(f, "name", "") == "__init__"]
    closing = {owner.name for owner, maker in makers if "self.close()" in ast.unparse(maker)}
    assert closing, "which shows that they are found"
    assert not closing & extended


@pytest.fixture(autouse=True)
def busy_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """The arm need not be ready, for which it wants fresh data."""
    monkeypatch.setattr(hardware, "make_ready", lambda arm: None)


def all_end_but(threads: list[threading.Thread]) -> None:
    gc.collect()
    until(lambda: set(threading.enumerate()) <= set(threads))


@pytest.mark.long
def test_that_a_camera_that_does_not_answer_is_the_reason_and_everything_is_closed() -> None:
    pytest.importorskip("rtde_control")
    folder, task = domain_library.load_task("collect_toys")
    emulator = start_emulator(cameras=False)
    before = threading.enumerate()
    try:
        with pytest.raises(RobotError, match="does not answer on its own port"):
            make_robot("ur5e", domain_spec=folder, task=task, options={"arm": emulator.address})
        all_end_but(before)
    finally:
        emulator.close()


@pytest.mark.long
def test_that_what_fails_last_closes_what_was_opened_first(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("rtde_control")

    def fails(*_: object, **__: object) -> None:
        raise RobotError("It is not to be.")

    monkeypatch.setattr(emulated_robot, "AdminClient", fails)
    folder, task = domain_library.load_task("collect_toys")
    before = threading.enumerate()
    with pytest.raises(RobotError, match="It is not to be"):
        make_robot("ur5e", domain_spec=folder, task=task)
    all_end_but(before)
