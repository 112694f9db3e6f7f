"""The log from the terminal: read, moved, verified, made smaller."""

from __future__ import annotations

import csv
import json
import re
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from app.cli.episode_upkeep import parse_size
from core.belief import Verdict
from core.errors import BadValue
from core.log.labels import add_label
from core.log.recorder import Recorder
from core.log.store import Store
from tests.command import call
from tests.core.log import made

Verb = Callable[..., Result]


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three episodes; a person overrode the model in the last one."""
    path = tmp_path_factory.mktemp("recorded") / "log.db"
    with Recorder.open(path) as recorder:
        for by, task in (("", "boil_water"), ("", "halve_egg"), ("ada", "boil_water")):
            for _ in recorder.record_events(made.episode(3, True, by, task)):
                pass
    return path


@pytest.fixture
def log(recorded: Path, tmp_path: Path) -> Path:
    """A copy of that log, with the files beside it."""
    shutil.copytree(recorded.parent, tmp_path, dirs_exist_ok=True)
    return tmp_path / recorded.name


@pytest.fixture
def verb(log: Path) -> Verb:
    return lambda *words: call("episodes", *words, "--database", log)


def form(result: Result) -> object:
    assert result.exit_code in (0, 1), result.output
    return json.loads(result.stdout.splitlines()[-1])


def ids(verb: Verb) -> list[str]:
    return [e["episode"] for e in form(verb("list", "--ascending", "--json"))]


def test_that_episodes_are_listed_filtered_and_sorted(verb: Verb) -> None:
    assert [e["task"] for e in form(verb("list", "--json"))] == ["boil_water", "halve_egg", "boil_water"]
    assert [e["task"] for e in form(verb("list", "--task", "halve_egg", "--json"))] == ["halve_egg"]
    assert len(form(verb("list", "--limit", "1", "--offset", "2", "--json"))) == 1
    most = form(verb("list", "--order", "overrides", "--json"))
    assert most[0]["overrides"] == 2


@pytest.mark.parametrize("width", [40, 80, 120])
def test_that_a_list_leaves_nothing_out_however_narrow(
    verb: Verb, width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    listed = verb("list").stdout
    assert "1 to 3 of 3" in listed and "…" not in listed and all(id in listed for id in ids(verb))
    assert listed.count("perfect") == 3 and max(map(len, listed.splitlines())) <= width
    assert "overrides" in listed and "re-plan" in listed


def test_that_an_episode_is_told_turn_by_turn(verb: Verb) -> None:
    last = ids(verb)[-1]
    told = verb("show", last)
    assert told.exit_code == 0, told.output
    assert (
        "pickup" in told.stdout and "ada: the mug" in told.stdout and "the goal is NOT reached" in told.stdout
    )
    assert form(verb("show", last, "--json"))["steps"] == 3


def test_that_a_search_names_moments_and_exits_1_where_there_is_none(verb: Verb) -> None:
    hits = form(verb("search", "pickup", "mug", "--json"))
    assert hits and {"episode", "number", "kind", "text"} == set(hits[0])
    assert verb("search", "zebra").exit_code == 1


def test_that_what_is_found_stands_under_its_episode_without_hashes(verb: Verb) -> None:
    shown = verb("search", "mug").stdout
    assert not re.search(r"[0-9a-f]{20}", shown)
    for id in ids(verb):
        assert [line for line in shown.splitlines() if id in line] in ([id], [])


def test_that_last_is_the_latest_episode(verb: Verb) -> None:
    assert form(verb("show", "last", "--json"))["episode"] == ids(verb)[-1]
    assert verb("delete", "last").stdout.startswith(ids(verb)[-1])


@pytest.mark.parametrize("suffix", [".jsonl", ".csv", ".html", ".mcap", ".mp4"])
def test_that_every_format_is_chosen_by_its_ending(verb: Verb, tmp_path: Path, suffix: str) -> None:
    pytest.importorskip({".mcap": "mcap_protobuf", ".mp4": "av"}.get(suffix, "json"))
    to = tmp_path / f"out{suffix}"
    result = verb("export", ids(verb)[-1], "--to", to, "--json")
    assert form(result)["written"] > 0
    assert to.stat().st_size > 100


def test_that_one_command_writes_a_file_for_each_episode(verb: Verb, tmp_path: Path) -> None:
    assert verb("export", "--to", tmp_path / "all" / "{episode}.jsonl").exit_code == 0
    assert {file.stem for file in (tmp_path / "all").iterdir()} == set(ids(verb))


def test_that_all_episodes_go_out_and_come_in_record_for_record(verb: Verb, tmp_path: Path) -> None:
    out, other = tmp_path / "all.jsonl", tmp_path / "other.db"
    assert verb("export", "--to", out).exit_code == 0
    taken = call("episodes", "import", out, "--database", other, "--json")
    assert form(taken)["episodes"] == ids(verb)
    with Store.open(other, read_only=True) as there, Store.open(tmp_path / "log.db", read_only=True) as here:
        for id in ids(verb):
            assert list(there.records(id)) == list(here.records(id))


def test_that_a_csv_of_any_table_can_be_had(verb: Verb, tmp_path: Path) -> None:
    to = tmp_path / "overrides.csv"
    assert verb("export", "--to", to, "--table", "overrides").exit_code == 0
    rows = list(csv.DictReader(to.open()))
    assert len(rows) == 2 and {r["operator"] for r in rows} == {"ada"}


def test_that_a_whole_log_verifies_with_0_and_a_changed_one_with_1(verb: Verb, log: Path) -> None:
    assert verb("verify").exit_code == 0
    with sqlite3.connect(log) as db:
        db.execute("drop trigger record_is_never_changed")
        db.execute("update record set body = replace(body, 'mug', 'jug') where number = 5")
    result = verb("verify")
    assert result.exit_code == 1
    assert "record 5 is not as it was written" in result.stdout


KILLED = """
import os, sys
from core.log.recorder import Recorder
from tests.core.log import made
recorder = Recorder.open(sys.argv[1])
for _, event in zip(range(20), made.episode(3)):
    recorder.record(event)
os._exit(9)
"""


def test_that_an_episode_that_a_kill_ended_is_whole_so_far_and_left_as_it_is(verb: Verb, log: Path) -> None:
    subprocess.run([sys.executable, "-c", KILLED, log], check=False)
    before = log.read_bytes()
    result = verb("verify")
    assert (result.exit_code, log.read_bytes()) == (0, before)
    assert "ended by a kill, whole so far" in result.stdout and "1 ended by a kill" in result.stdout
    last = result.stdout.splitlines()[-1]
    assert last.endswith(": whole; 1 episode without a seal: its end could have been cut off")
    report = form(verb("verify", "--json"))
    assert (report["whole"], report["broken_off"], len(report["killed"])) == (True, 0, 1)
    Recorder.open(log).close()  # the next start
    report = form(verb("verify", "--json"))
    assert (report["whole"], report["broken_off"], report["killed"]) == (True, 1, [])


def test_that_what_a_kill_left_is_damaged_where_a_record_of_it_is_gone(verb: Verb, log: Path) -> None:
    subprocess.run([sys.executable, "-c", KILLED, log], check=False)
    with sqlite3.connect(log) as db:
        db.execute("drop trigger record_goes_only_with_its_episode")
        db.execute("delete from record where episode = 4 and number = 7")
    result = verb("verify")
    assert result.exit_code == 1 and "record 7 is missing" in result.stdout


def test_that_a_log_that_others_may_read_is_said_and_mended_at_the_next_start(verb: Verb, log: Path) -> None:
    assert "others may read" not in verb("verify").stdout
    log.chmod(0o644)
    assert f"{log}: others may read it" in verb("verify").stdout
    Recorder.open(log).close()
    assert "others may read" not in verb("verify").stdout and log.stat().st_mode & 0o077 == 0


def test_that_deleting_says_first_and_deletes_only_when_told(verb: Verb) -> None:
    first, *rest = ids(verb)
    assert form(verb("delete", first, "--json")) == {"episodes": [first], "deleted": False}
    assert ids(verb) == [first, *rest]
    assert verb("delete", first, "--yes").exit_code == 0
    assert ids(verb) == rest


def test_that_a_damaged_log_is_saved_into_a_new_one(verb: Verb, log: Path, tmp_path: Path) -> None:
    data = bytearray(log.read_bytes())
    middle = len(data) // 2 // 4096 * 4096
    data[middle : middle + 4096] = b"\xff" * 4096
    log.write_bytes(bytes(data))
    saved = verb("verify", "--salvage", tmp_path / "saved.db")
    assert saved.exit_code in (0, 1) and "3 episodes" in saved.stdout
    again = call("episodes", "list", "--json", "--database", tmp_path / "saved.db")
    assert len(form(again)) == 3


def test_that_labels_become_a_profile_that_can_answer(verb: Verb, log: Path, tmp_path: Path) -> None:
    from core.vqa.answerers.profiles import load_profile

    with Store.open(log) as store:
        id = store.episodes()[0].episode
        number = next(r.number for r in store.records(id) if type(r.event).__name__ == "AnswersReceived")
        add_label(store, id, number, 0, Verdict.NO, "bob")
    to = tmp_path / "mine.toml"
    assert verb("profile", "gpt", "--to", to).exit_code == 0
    assert load_profile(str(to)).name == "mine"


def test_that_pruning_says_first_and_deletes_only_when_told(verb: Verb) -> None:
    before = ids(verb)
    assert form(verb("prune", "--most", "1k", "--json"))["episodes"] == before
    assert ids(verb) == before
    assert verb("prune", "--most", "1k", "--yes").exit_code in (0, 1)
    assert ids(verb) == []


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("show", "nothing"), "There is no episode"),
        (("delete", "nothing", "--yes"), "There is no episode"),
        (("list", "--order", "colour"), "There is no column"),
        (("list", "--result", "won"), "There is no result"),
        (("search", "..."), "no word to search for"),
        (("export", "--to", "x.doc"), "names no format"),
        (("export", "--to", "x.html"), "name one"),
        (("prune", "--most", "much"), "is no size"),
        (("prune", "--most", "1G", "--first", "best"), "order of pruning"),
        (("profile", "nobody"), "judged answers"),
        (("import", "nowhere.jsonl"), "cannot be read"),
    ],
)
def test_that_bad_input_is_one_sentence_and_exit_2(verb: Verb, words: tuple[str, ...], said: str) -> None:
    result = verb(*words)
    assert result.exit_code == 2
    assert said in result.stderr
    assert "Traceback" not in result.output and len(result.stderr.strip().splitlines()) == 1


def test_that_a_log_that_is_not_there_is_not_made_by_reading(tmp_path: Path) -> None:
    path = tmp_path / "none.db"
    for words in (["list"], ["verify"], ["prune", "--most", "1G"]):
        result = call("episodes", *words, "--database", path)
        assert (result.exit_code, path.exists()) == (2, False)


@pytest.mark.parametrize(("words", "bytes"), [("1000", 1000), ("500M", 5 * 10**8), ("1.5 GB", 15 * 10**8)])
def test_that_sizes_are_read(words: str, bytes: int) -> None:
    assert parse_size(words) == bytes


def test_that_no_size_is_refused() -> None:
    with pytest.raises(BadValue):
        parse_size("-1")
