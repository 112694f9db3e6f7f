"""An emulated model that answers from a recorded episode."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from pathlib import Path

from core.asking.again import Exchange
from core.asking.emulated import Remembering
from core.asking.loopback import emulate
from core.asking.presets import load_preset
from core.asking.registry import Asking, make_answerer
from core.asking.scripted import ScriptedAnswerer
from core.asking.told import is_ours
from core.cancel import Cancel
from core.facts import Atom, Query, Verdict
from core.ports import Frame
from tests.core.asking.kit import BOTH

YES, NO, UNKNOWN = Verdict.YES, Verdict.NO, Verdict.UNKNOWN
PNG = b"a picture"
FRAME = Frame(hashlib.sha256(PNG).hexdigest(), png=PNG)
OTHER = Frame(hashlib.sha256(b"another").hexdigest(), png=b"another")


def remembering(said: str, queries: tuple[Query, ...] = BOTH) -> Remembering:
    call = ScriptedAnswerer([said]).answer(FRAME, queries, 1, Cancel())
    return Remembering([Exchange(1, FRAME, queries, call)], "recorded")


def test_that_a_recorded_episode_answers_the_same_words_about_the_same_picture_only() -> None:
    server = emulate(remembering("yes;no"))
    try:
        for prompt in ("dkprompt", "structured", "single"):
            answerer = make_answerer(server.url, asking=Asking(prompt=prompt))
            first = answerer.answer(FRAME, BOTH, 1, Cancel())
            assert [BOTH[i].about_atom(a.verdict) for i, a in enumerate(first.answers)] == [YES, NO]
            turned = answerer.answer(FRAME, BOTH[::-1], 1, Cancel())
            assert [BOTH[1 - i].about_atom(a.verdict) for i, a in enumerate(turned.answers)] == [NO, YES]
            unseen = answerer.answer(OTHER, BOTH, 1, Cancel())
            assert {a.verdict for a in unseen.answers} == {UNKNOWN}
            answerer.close()  # type: ignore[attr-defined]
        assert is_ours(load_preset("custom", "", server.url))
    finally:
        server.close()


def test_that_a_question_inside_another_one_is_not_taken_for_it() -> None:
    short, long = Query(Atom("a"), "Is it open?"), Query(Atom("b"), "So then: Is it open?")
    mind = remembering("yes;no", (short, long))
    server = emulate(mind)
    try:
        answerer = make_answerer(server.url)
        call = answerer.answer(FRAME, (long, short), 1, Cancel())
        assert len(call.answers) == 2 and call.answers[0].verdict is NO
    finally:
        server.close()


def test_that_a_logged_episode_runs_again_from_its_emulated_model(tmp_path: Path) -> None:
    log = str(tmp_path / "log.db")
    words = ("halve_egg", "--robot", "symbolic", "--seed", "4", "--openness", "0", "--database", log)
    first = subprocess.run([sys.executable, "main.py", "run", *words], capture_output=True, check=False)
    assert first.returncode == 0
    from app.terminal.verb_emulate import _recorded

    mind = _recorded("2", Path(log))
    server = emulate(mind)
    try:
        again = subprocess.run(
            [sys.executable, "main.py", "run", *words, "--answerer", server.url],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
    finally:
        server.close()
    assert again.returncode == 0 and "and it is so" in again.stdout
    assert mind.name.startswith("episode 2") and mind.name in str(server.model)
