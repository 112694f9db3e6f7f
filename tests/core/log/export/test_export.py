"""Out of the log and back, record for record; tables for others; a report that a person can read."""

import csv
import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from core.episode_state import EpisodeState
from core.errors import BadFile, BadValue, ConsoleError, LogError, UnknownName
from core.events import (
    ArmHandover,
    HandoverStage,
    ModelConsulted,
    Notice,
    PlanMade,
    Record,
    StandstillMeasured,
    StopRequested,
)
from core.log.export import jsonl, registry, report
from core.log.export.registry import EXPORTERS, export
from core.log.export.report_parts import DomainHtml
from core.log.integrity.verify import verify
from core.log.recorder import Recorder
from core.log.rerun_settings import vocabulary_of
from core.log.store import Store
from core.planning.domain_library import load_task
from core.planning_model import Step
from core.ports import ChatMessage
from core.state.causes import explain
from core.state.state_reducer import apply_record
from tests.core.log import made
from tests.core.log.closed_log import without_triggers


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "log.db"


def written(path: Path, episodes: int = 2) -> list[list[Record]]:
    with Recorder.open(path) as recorder:
        return [list(recorder.record_events(made.episode(3, True, "ada"))) for _ in range(episodes)]


# --- JSON Lines --------------------------------------------------------------------------------------


@pytest.mark.parametrize("pictures", [True, False])
def test_that_an_export_comes_back_record_for_record(path: Path, tmp_path: Path, pictures: bool) -> None:
    given = written(path)
    ids = [records[0].episode for records in given]
    out = tmp_path / "out.jsonl"
    with Store.open(path) as store:
        assert jsonl.export(store, ids, out, pictures) == sum(map(len, given))
        before = store.episodes()
    assert all(isinstance(json.loads(line), dict) for line in out.read_text().splitlines())
    with Store.open(tmp_path / "other.db") as store:
        assert jsonl.import_file(store, out) == tuple(ids)
        assert [list(store.records(id)) for id in ids] == given
        assert store.episodes() == before
        assert verify(store).is_intact is pictures
        assert jsonl.import_file(store, out) == ()  # there already, just so
        assert store.count() == 2
    with Store.open(tmp_path / "other.db") as store:
        assert store.repaired == ()


def test_that_another_episode_of_the_same_name_is_not_overwritten(path: Path, tmp_path: Path) -> None:
    given = written(path, 1)
    out = tmp_path / "out.jsonl"
    with Store.open(path) as store:
        jsonl.export(store, [given[0][0].episode], out, pictures=False)
        out.write_text(out.read_text().replace("shelf2", "shelf3"))
        with pytest.raises(LogError, match="another episode"):
            jsonl.import_file(store, out)
        assert list(store.records(given[0][0].episode)) == given[0]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda text: text[:3000] + "\n" + text[3001:], r"line \d+: "),
        (lambda text: text + "\n{}\n", "no record"),
        (lambda text: text + text, "other"),
        (lambda text: re.sub(r'"png": ".', '"png": "A', text, count=1), "not as it was exported"),
        (lambda text: text.replace('"kind":"StepFinished"', '"kind":"Danced"'), "'Danced'"),
    ],
)
def test_that_a_file_that_is_no_export_names_its_line_and_leaves_no_half_episode(
    path: Path, tmp_path: Path, change: object, said: str
) -> None:
    given = written(path)
    out = tmp_path / "out.jsonl"
    with Store.open(path) as store:
        jsonl.export(store, [r[0].episode for r in given], out)
    if said != "other":
        out.write_text(change(out.read_text()))  # type: ignore[operator]
    with Store.open(tmp_path / "other.db") as store:
        if said == "other":  # the same twice is no fault
            out.write_text(out.read_text() * 2)
            assert len(jsonl.import_file(store, out)) == 2
        else:
            with pytest.raises(BadFile, match=said) as caught:
                jsonl.import_file(store, out)
            assert "\n" not in str(caught.value)
        assert verify(store).is_intact
        for episode in store.episodes():
            assert list(store.records(episode.episode)) in given


def test_that_a_file_that_cannot_be_read_or_written_is_named(path: Path, tmp_path: Path) -> None:
    given = written(path, 1)
    with Store.open(path) as store:
        with pytest.raises(BadFile, match="cannot be read"):
            jsonl.import_file(store, tmp_path / "nothing")
        with pytest.raises(BadFile, match="cannot be read"):
            jsonl.import_file(store, path)
        for extension in (f".{e.name}" for e in EXPORTERS if e.missing() is None):
            for to in (tmp_path / f"folder{extension}", tmp_path / "no such" / f"out{extension}"):
                (tmp_path / f"folder{extension}").mkdir(exist_ok=True)
                with pytest.raises(BadFile, match=f"{re.escape(str(to))}: .*cannot be written"):
                    export(store, [given[0][0].episode], to)


@pytest.mark.parametrize("extension", [e.name for e in EXPORTERS if e.name != "parquet"])  # it reads no event
def test_that_an_export_that_fails_leaves_no_file_or_the_old_one(
    path: Path, tmp_path: Path, extension: str
) -> None:
    if (missing := EXPORTERS[extension].missing()) is not None:
        pytest.skip(missing.problem)
    given = written(path, 1)
    with without_triggers(path) as db:  # the last record is from a newer version
        db.execute("update record set kind = 'Unheard' where id = (select max(id) from record)")
        db.execute("drop view if exists episodes")
    folder = tmp_path / "out"
    folder.mkdir()
    old = folder / f"old.{extension}"
    old.write_text("as it was")
    old.chmod(0o640)
    with Store.open(path, read_only=True) as store:
        for to in (folder / f"new.{extension}", old):
            with pytest.raises(ConsoleError):
                export(store, [given[0][0].episode], to)
    assert [(p.name, p.read_text()) for p in folder.iterdir()] == [(old.name, "as it was")]


def test_that_an_export_takes_an_older_ones_place_and_mode(path: Path, tmp_path: Path) -> None:
    given = written(path, 1)
    to, link = tmp_path / "a.jsonl", tmp_path / "link.jsonl"
    to.write_text("older")
    to.chmod(0o600)
    link.symlink_to(to)
    with Store.open(path) as store:
        assert export(store, [given[0][0].episode], link) == len(given[0])
    assert link.is_symlink() and len(to.read_text().splitlines()) > len(given[0])
    assert to.stat().st_mode & 0o777 == 0o600


# --- CSV ---------------------------------------------------------------------------------------------


def test_that_every_view_comes_out_as_a_table(path: Path, tmp_path: Path) -> None:
    given = written(path)
    first = given[0][0].episode
    with Store.open(path) as store:
        for view in registry.VIEWS:
            count = registry.export_table(store, view, tmp_path / f"{view}.csv")
            rows = list(csv.reader((tmp_path / f"{view}.csv").open(newline="")))
            assert len(rows) == count + 1
            assert len({len(row) for row in rows}) == 1
        assert registry.export_table(store, "questions", tmp_path / "one.csv", [first]) == 12
        with pytest.raises(UnknownName, match="did you mean questions"):
            registry.export_table(store, "question", tmp_path / "one.csv")
        with pytest.raises(BadValue, match="agreement is of the whole log"):
            registry.export_table(store, "agreement", tmp_path / "one.csv", [first])
    rows = list(csv.DictReader((tmp_path / "questions.csv").open(newline="")))
    assert rows[0]["atom"] == "(inside mug shelf0)"


# --- the report --------------------------------------------------------------------------------------


class Checker(HTMLParser):
    """Collects the text, and what the page would fetch."""

    def __init__(self) -> None:
        super().__init__()
        self.text, self.images, self.tags = "", 0, []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        for name, value in attrs:
            if name in ("src", "href"):
                assert (value or "").startswith("data:")
                self.images += 1

    def handle_data(self, data: str) -> None:
        self.text += data


def test_that_a_report_is_one_file_that_tells_the_episode(path: Path, tmp_path: Path) -> None:
    with Recorder.open(path) as recorder:
        given = list(recorder.record_events(made.episode(3, True, "ada", truth=True)))
        recorder.record(StopRequested(1, "key", "ada"))
        recorder.record(StandstillMeasured(1, 0.25))
        recorder.record(ArmHandover(HandoverStage.GIVEN, "Ann <b>", "Ben"))
        recorder.record(Notice("fault", "<script>alert(1)</script>"))
    with Store.open(path) as store:
        report.export(store, given[0].episode, tmp_path / "report.html")
    page = Checker()
    page.feed((tmp_path / "report.html").read_text())
    assert page.images == 3
    assert not {"script", "link", "iframe"} & set(page.tags)
    assert page.text.count("in truth") == 3 and "1re-plan" in page.text and "1re-plans" not in page.text
    for said in (
        *("boil_water: false claim", "Turn 3", "Is it so (2)?", "the mug is inside the shelf0", "✓ yes"),
        "ada: approved",
        *(
            "Reviewed by a person: the mug is inside the shelf0 ✗ no",
            "corrected open mug shelf2",
            "in two places",
        ),
        *(
            "Plan of 3 steps",
            "pickup mug, grasp 0.1, 0.2: done",
            "Ann <b> gave up the arm for Ben.",
            "standstill after 0.25 s",
            "<script>alert(1)</script>",
        ),
    ):
        assert said in page.text, said
    state, causes = EpisodeState(), []
    for record in given:
        state = apply_record(state, record)
        if isinstance(record.event, PlanMade):
            change, words = record.event.change, vocabulary_of(state.started)  # type: ignore[arg-type]
            causes.append(explain(change.reason, state, words, change.old_steps).whole)
    assert len(causes) > 1 and all(f"Cause: {cause}." in page.text for cause in causes)


def test_that_a_report_is_in_words_with_the_pddl_behind_them(path: Path) -> None:
    html = DomainHtml(load_task("boil_water")[0])
    step = Step("graspon", ("agent-n-01_1", "mug-n-04_1", "floor-n-01_1"))
    assert html.step(step) == f'<span title="{step}">grasp the mug from the floor</span>'
    assert html.text(f"{step} failed") == "grasp the mug from the floor failed"
    too_few = Step("graspon", ('"><b>',))
    assert html.step(too_few) == "(graspon &#34;&gt;&lt;b&gt;)"
    with Recorder.open(path) as recorder:
        given = list(recorder.record_events(made.episode(3)))
    with Store.open(path) as store:
        shown = re.sub(r'title="[^"]*"', "", report.report(store, given[0].episode))
    assert "(inside" not in shown


def test_that_a_report_has_prompt_and_reply_of_a_methods_own_call(path: Path, tmp_path: Path) -> None:
    messages = (ChatMessage("system", "Be <b>brief</b>."), ChatMessage("user", "How many?\x1b[31m"))
    asked = ModelConsulted(3, "count", messages, "f", "four & more", "4", "wordy", 0.25, 40, 0.5)
    lost = ModelConsulted(3, "count", messages, "", "", "", "", error="No model is chosen.")
    with Recorder.open(path) as recorder:
        given = list(recorder.record_events(made.episode(3)))
        recorder.record(asked)
        recorder.record(lost)
    with Store.open(path) as store:
        text = report.report(store, given[0].episode)
    page = Checker()
    page.feed(text)
    assert "Asked wordy: count, 0.2 s, 40 tokens, $0.5000, with the picture" in page.text
    replies = ("four & more", "Read as: 4", "No reply: No model is chosen.")
    for said in ("Be <b>brief</b>.", "How many?", *replies):
        assert said in page.text, said
    assert "\x1b" not in text
