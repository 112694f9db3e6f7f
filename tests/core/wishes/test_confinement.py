"""Tests that a model wrote: what they can say, and 74 ways out that must lead nowhere."""

from __future__ import annotations

import os
import socket
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from core.errors import BadValue, MissingPackage
from core.scene import Body
from core.wishes.confinement import Confinement, WrittenTest, helper_docs, read_test

BODIES = {
    "mug": Body((0.5, 0.1, 0.04, 0, 0, 0.3), (0.48, 0.08, 0), (0.52, 0.12, 0.08)),
    "table": Body((0.5, 0, 0, 0, 0, 0), (0.12, -0.5, -0.04), (0.9, 0.5, 0)),
}
HONEST = """def goal_check0() -> bool:
    on_table = modify_pose_bounds_to_be_ontop_of_object(init_state, env, init_bounds, mug.category, 'table')
    return position_within_bounds(mug.pose, on_table) and abs(mug.pose.roll) < 0.1
"""


@pytest.fixture(scope="module")
def workers() -> Iterator[Confinement]:
    pytest.importorskip("pydantic_monty")
    made = Confinement(seconds=0.05)
    yield made
    made.close()


def written(body: str) -> WrittenTest:
    return WrittenTest("test", "def test():\n    " + body.replace("\n", "\n    "))


def said(workers: Confinement, test: WrittenTest) -> object:
    try:
        return workers.verdicts(test, (BODIES,))[0]
    except BadValue as refused:
        return str(refused)


def test_that_no_known_way_out_leads_anywhere(
    workers: Confinement, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    secret, mark = tmp_path / "key", tmp_path / "mark"
    secret.write_text("S3CRET-FILE")
    monkeypatch.setenv("DKPROMPT_TEST_KEY", "S3CRET-KEY")
    attempts = tomllib.loads((Path(__file__).parent / "attempts.toml").read_text())
    honest = read_test(HONEST, BODIES)
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0)
        values = {"MARK": str(mark), "SECRET": str(secret), "HOST": str(os.getpid())}
        values["PORT"] = str(server.getsockname()[1])
        tests = []
        for name, text in (*attempts["in_test"].items(), *attempts["beside"].items()):
            for word, value in values.items():
                text = text.replace(word, value)
            whole = text.startswith(("def test", "@")) or name in attempts["beside"]
            test = WrittenTest("test", text + "\ndef test(): return str(r)") if whole else written(text)
            tests.append(test)
        for test in tests:
            assert "S3CRET" not in str(said(workers, test)), test.source
        with pytest.raises(BlockingIOError):
            server.accept()
    assert len(tests) == 73 and not mark.exists()
    assert said(workers, honest) is True
    assert capfd.readouterr() == ("", "")


def test_that_a_test_can_mislead_no_other_one_and_is_not_itself_misled_by_what_it_changed(
    workers: Confinement,
) -> None:
    liar = written(
        "global position_within_bounds, Pose, _said\n"
        "position_within_bounds = lambda pose, bounds: True\n"
        "_said = [True] * 9\n"
        "Pose = None\n"
        "init_state.clear()\n"
        "mug.pose = table.pose\n"
        "print('flood' * 1000)\n"
        "return True"
    )
    said(workers, liar)
    honest = read_test(HONEST, BODIES)
    fallen = {**BODIES, "mug": replace(BODIES["mug"], pose=(0.5, 0.1, 0.02, 1.57, 0, 0))}
    assert workers.verdicts(honest, (BODIES, fallen, BODIES)) == (True, False, True)


def test_that_a_verdict_is_true_or_false_and_the_same_twice(workers: Confinement) -> None:
    for body, why in (
        ("return 1", "says 1, not True or False"),
        ("return None", "says None"),
        ("while True: pass", "broke: TimeoutError"),
        ("return mug.position", "broke: AttributeError"),
        ("mug.n = True\nreturn hasattr(table, 'n') or setattr(table, 'n', 1) is not None", "True and then"),
    ):
        with pytest.raises(BadValue, match=why):
            workers.admit(written(body), BODIES)


def test_that_a_test_has_more_time_by_the_clock_where_others_had_the_processor(
    workers: Confinement, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.wishes.confinement._processor", lambda _: 0.0)
    monkeypatch.setattr("core.wishes.confinement._PATIENCE", 2)
    with pytest.raises(BadValue, match=r"broke: TimeoutError.*> 100ms"):
        workers.verdicts(written("while True: pass"), (BODIES,))


def test_that_a_worker_that_ends_for_want_of_memory_says_so_to_its_caller_alone(
    capfd: pytest.CaptureFixture[str],
) -> None:
    pytest.importorskip("pydantic_monty")
    workers = Confinement()  # whose process inherits what capfd reads
    with pytest.raises(BadValue, match="exceeded its memory limit and was terminated"):
        workers.admit(written("return ('a ' * 10**7).split()"), BODIES)
    workers.close()
    assert capfd.readouterr() == ("", "")


def test_that_both_ways_of_calling_a_helper_are_understood(workers: Confinement) -> None:
    for helper in helper_docs():
        if "_pose_bounds_" in helper:
            long = f"{helper}(init_state, env, init_bounds, mug.category, table.category)"
            short = f"{helper}('mug', 'table')"
            named = f"{helper}(init_state=init_state, bounds=init_bounds, name='mug', under='table')"
            assert said(workers, written(f"return {long} == {short} == {named}")) is True
    posed = read_test("def test_poses(p) -> bool:\n    return p.z < 0.05", BODIES, "mug")
    assert said(workers, posed) is True and posed.args == ("mug",)


def test_that_the_linter_says_what_to_change() -> None:
    for source, why in (
        ("nothing", "no function"),
        ("def f(:", "no Python, where it says: def f"),
        ("def f():\n    return unicorn.pose.x > 0", "speaks of unicorn"),
        ("def f():\n    return np.isfinite(mug.pose.x)", "speaks of np"),
        ("def f(a, b):\n    return True", "takes arguments"),
        ("def f():\n    position_within_bounds = 1\n    return True", "another meaning"),
        ("def f():\n    return " + "(" * 3000 + "1" + ")" * 3000, "longer|no Python"),
    ):
        with pytest.raises(BadValue, match=why):
            read_test(source, BODIES)


def test_that_without_the_extra_one_sentence_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pydantic_monty", None)
    with pytest.raises(MissingPackage, match=r"needs an optional package: install it with .*wishes"):
        Confinement()
