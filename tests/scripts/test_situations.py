"""What became of the situations of logged trials adds up to the table of the same trials."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from core.planning.domain_library import load_domain_spec
from scripts.logged_situations import GROUPS, HANDLED, NO_WAY, Trial, trials
from scripts.situations import main
from tests.command import call

METHODS, SEEDS = "cowp,ek", 12


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("bench")
    tried = call(
        *("bench", "--domain", "dining", "--methods", METHODS, "--tasks", "serve_water", "--trials", SEEDS),
        *("--workers", 1, "--database", folder / "t.db", "--json", folder / "rows.json"),
        *("--log", folder / "log.db"),
    )
    assert tried.exit_code == 0, tried.output
    return folder


def of(bench: Path, method: str) -> list[Trial]:
    with closing(sqlite3.connect(bench / "log.db")) as log:
        return [trial for trial in trials(log, load_domain_spec("dining")) if trial.method == method]


@pytest.mark.parametrize("method", METHODS.split(","))
def test_that_the_parts_add_up_to_the_row_of_the_table(bench: Path, method: str) -> None:
    (row,) = (r for r in json.loads((bench / "rows.json").read_text()) if r["method"] == method)
    found = of(bench, method)
    told = [trial for trial in found if trial.kind]
    assert (len(found), len(told)) == (row["trials"], row["situations"])
    assert sum(trial.completed for trial in found) == row["successes"]
    assert sum(trial.group == HANDLED for trial in told) == row["handled"]
    assert {HANDLED, NO_WAY} <= {trial.group for trial in told} <= set(GROUPS) and all(t.cause for t in told)


def test_that_methods_meet_situations_with_the_same_ways(bench: Path) -> None:
    ways = [[t.group == NO_WAY for t in of(bench, method) if t.kind] for method in METHODS.split(",")]
    assert ways[0] == ways[1]


def test_that_a_log_of_another_world_is_refused(bench: Path, tmp_path: Path) -> None:
    with closing(sqlite3.connect(bench / "log.db")) as log, closing(sqlite3.connect(tmp_path / "l")) as copy:
        log.backup(copy)
        copy.execute("update episode set settings = json_set(settings, '$.seed', '77')")
        with pytest.raises(SystemExit, match="ends otherwise"):
            list(trials(copy, load_domain_spec("dining")))


def test_that_all_is_printed(bench: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(bench / "log.db")
    printed = capsys.readouterr().out
    assert "cowp: " in printed and "if the kinds came as often as they were counted" in printed
