"""Judged questions with their pictures, for those who train."""

import json
from pathlib import Path

import pytest

from core.belief import Verdict
from core.events import AnswersReceived
from core.log.export.judged import export, judged_questions, kept_apart
from core.log.labels import add_label
from core.log.recorder import Recorder
from core.log.store import Store
from tests.core.log import made


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Three episodes: "ada" overruled an answer in each, and "bob" judged one of the first, blind."""
    with Recorder.open(tmp_path / "log.db") as recorder:
        given = [list(recorder.record_events(made.episode(3, True, "ada"))) for _ in range(3)]
    number = next(r.number for r in given[0] if isinstance(r.event, AnswersReceived))
    with Store.open(tmp_path / "log.db") as store:
        add_label(store, given[0][0].episode, number, 1, Verdict.NO, "bob", blind=True)
    return tmp_path / "log.db"


def test_that_each_judged_question_says_who_said_what_of_which_picture(path: Path) -> None:
    with Store.open(path) as store:
        rows = judged_questions(store)
        first = [row for row in rows if row.episode == rows[0].episode]
        assert judged_questions(store, [rows[0].episode]) == tuple(first)
    bob = next(row for row in first if row.by == "bob")
    assert (bob.answer, bob.model_answer, bob.judged_as, bob.blind) == ("no", "yes", "reviewer", True)
    assert bob.judged and bob.question and bob.atom.startswith("(") and bob.picture
    ada = next(row for row in rows if row.by == "ada")
    assert (ada.answer, ada.judged_as, ada.blind) == ("no", "operator", None)


def test_that_what_shares_a_picture_is_never_in_both_parts(path: Path) -> None:
    with Store.open(path) as store:
        rows = judged_questions(store)
    apart = kept_apart(rows)
    pictures = [{row.picture for row in rows if (row.episode in apart) is test} for test in (True, False)]
    assert not pictures[0] & pictures[1]


def test_that_parquet_holds_the_pictures_as_datasets_reads_them(path: Path, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    with Store.open(path) as store:
        rows = judged_questions(store)
        assert export(store, tmp_path / "judged.parquet") == len(rows) > 0
        read = parquet.read_table(tmp_path / "judged.parquet")
        assert read["picture"].to_pylist()[0]["bytes"] == store.picture(rows[0].picture)
    assert read["question"].to_pylist() == [row.question for row in rows]
    features = json.loads(read.schema.metadata[b"huggingface"])["info"]["features"]
    assert features["picture"] == {"_type": "Image"} and set(features) == set(read.column_names)
