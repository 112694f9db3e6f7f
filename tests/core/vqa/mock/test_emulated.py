"""An emulated model that answers from a recorded episode."""

from __future__ import annotations

import hashlib
from pathlib import Path

from typer.testing import CliRunner

from app.cli.command_line import command_line
from app.cli.emulate import _recorded
from core.belief import Atom, Query, Verdict
from core.ports import Frame
from core.stop_token import StopToken
from core.vqa.answerers.scripted import ScriptedAnswerer
from core.vqa.endpoint.presets import load_preset
from core.vqa.mock.mock_server import start_mock_server
from core.vqa.mock.reply_sources import ReplaySource
from core.vqa.mock.truth_sideband import is_emulator
from core.vqa.reask import Exchange
from core.vqa.registry import ModelSettings, make_answerer
from main import program
from tests.core.vqa.kit import BOTH

YES, NO, UNKNOWN = Verdict.YES, Verdict.NO, Verdict.UNKNOWN
PNG = b"a picture"
FRAME = Frame(hashlib.sha256(PNG).hexdigest(), png=PNG)
OTHER = Frame(hashlib.sha256(b"another").hexdigest(), png=b"another")


def remembering(said: str, queries: tuple[Query, ...] = BOTH) -> ReplaySource:
    call = ScriptedAnswerer([said]).answer(FRAME, queries, 1, StopToken())
    return ReplaySource([Exchange(1, FRAME, queries, call)], "recorded")


def test_that_a_recorded_episode_answers_the_same_words_about_the_same_picture_only() -> None:
    server = start_mock_server(remembering("yes;no"))
    try:
        for prompt in ("dkprompt", "structured", "single"):
            answerer = make_answerer(server.url, asking=ModelSettings(prompt=prompt))
            first = answerer.answer(FRAME, BOTH, 1, StopToken())
            assert [BOTH[i].text_verdict(a.verdict) for i, a in enumerate(first.answers)] == [YES, NO]
            turned = answerer.answer(FRAME, BOTH[::-1], 1, StopToken())
            assert [BOTH[1 - i].text_verdict(a.verdict) for i, a in enumerate(turned.answers)] == [NO, YES]
            unseen = answerer.answer(OTHER, BOTH, 1, StopToken())
            assert {a.verdict for a in unseen.answers} == {UNKNOWN}
            answerer.close()  # type: ignore[attr-defined]
        assert is_emulator(load_preset("custom", "", server.url))
    finally:
        server.close()


def test_that_a_question_inside_another_one_is_not_taken_for_it() -> None:
    short, long = Query(Atom("a"), "Is it open?"), Query(Atom("b"), "So then: Is it open?")
    mind = remembering("yes;no", (short, long))
    server = start_mock_server(mind)
    try:
        answerer = make_answerer(server.url)
        call = answerer.answer(FRAME, (long, short), 1, StopToken())
        assert len(call.answers) == 2 and call.answers[0].verdict is NO
    finally:
        server.close()


def test_that_a_logged_episode_runs_again_from_its_emulated_model(tmp_path: Path) -> None:
    log = str(tmp_path / "log.db")
    cli = command_line(program())
    words = ("run", "halve_egg", "--robot", "symbolic", "--seed", "4", "--openness", "0", "--database", log)
    assert CliRunner().invoke(cli, words).exit_code == 0
    mind = _recorded("2", Path(log))
    server = start_mock_server(mind)
    try:
        again = CliRunner().invoke(cli, [*words, "--answerer", server.url])
    finally:
        server.close()
    assert again.exit_code == 0 and "confirms that the goal is reached" in again.stdout
    assert mind.name.startswith("episode 2") and mind.name in str(server.model)
