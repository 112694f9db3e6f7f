"""Raw confidences of answers that people judged."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from core.belief import Answer, Atom, BeliefSource, Query, Verdict
from core.errors import UnknownName
from core.events import AnswersReceived, EpisodeEnded, EpisodeResult, EpisodeStarted, QuestionsAsked
from core.log.labels import add_label, judged_confidences
from core.log.recorder import Recorder
from core.log.store import Store
from core.ports import ModelCall
from core.vqa.calibration import JudgedConfidence

OPEN, SHUT = Atom("open", ("box",)), Atom("shut", ("box",))


def recorded(path: Path, calls: int = 1) -> None:
    queries = (Query(OPEN, "Is it open?"), Query(SHUT, "Is it shut?"))
    answers = tuple(Answer(q.atom, Verdict.YES, BeliefSource.MODEL, "yes", 1, "f", "m") for q in queries)
    call = ModelCall(answers, "yes;yes", "m", confidences=(0.9, None))
    asked = [
        e for _ in range(calls) for e in (QuestionsAsked(1, "f", queries), AnswersReceived(1, "f", call))
    ]
    with Recorder.open(path) as recorder:
        for event in (
            EpisodeStarted("t", "d", (), (), ()),
            *asked,
            EpisodeEnded(EpisodeResult.ENDED, "done"),
        ):
            recorder.record(event)


def test_that_only_judged_answers_with_a_raw_confidence_count(tmp_path: Path) -> None:
    recorded(tmp_path / "log.db")
    with Store.open(tmp_path / "log.db") as store:
        episode = store.episodes()[0].episode
        with pytest.raises(UnknownName, match="judged log-probabilities"):
            judged_confidences(store, "m")
        add_label(store, episode, 3, 0, Verdict.NO, "ann")
        add_label(store, episode, 3, 1, Verdict.YES, "ann")
        assert judged_confidences(store, "m") == (JudgedConfidence("open", 0.9, False),)
        add_label(store, episode, 3, 0, Verdict.YES, "ann")
        assert judged_confidences(store, "m") == (JudgedConfidence("open", 0.9, True),)


@pytest.mark.long
def test_that_the_verb_writes_a_calibration_that_is_found_by_itself(tmp_path: Path) -> None:
    from core.data_file import load_toml
    from core.vqa.calibration import ConfidenceCalibration

    log = tmp_path / "log.db"
    recorded(log, calls=60)
    with Store.open(log) as store:
        episode = store.episodes()[0].episode
        for number in range(3, 3 + 2 * 60, 2):
            add_label(store, episode, number, 0, Verdict.from_bool(number % 3 != 0), "ann")
    words = ("confidence", "m", "--database", str(log), "--to", str(tmp_path / "m.toml"))
    ran = subprocess.run([sys.executable, "main.py", *words], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert "60 judged answers" in ran.stdout
    assert 0.55 < load_toml(tmp_path / "m.toml", ConfidenceCalibration).probability("open", 0.9) < 0.75
