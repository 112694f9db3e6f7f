"""What a shell completes; a log or a folder that cannot be read completes nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.cli import completion
from core.log import database
from core.log.recorder import Recorder
from tests.command import command
from tests.core.log import made

CONTEXT = command().make_context("dkprompt", [], resilient_parsing=True)


def test_that_names_of_tasks_domains_and_components_are_completed() -> None:
    assert "boil_water" in dict(completion.tasks(CONTEXT))
    assert "household" in dict(completion.domains(CONTEXT))
    assert {"kitchen", "symbolic", "ur5e"} <= dict(completion.component("robots")(CONTEXT)).keys()


def test_that_episodes_are_completed_latest_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = tmp_path / "log.db"
    monkeypatch.setattr(database, "default_path", lambda: log)
    assert completion.episodes(CONTEXT) == []
    with Recorder.open(log) as recorder:
        for task in ("boil_water", "halve_egg"):
            for _ in recorder.record_events(made.episode(3, True, "", task)):
                pass
    found = completion.episodes(CONTEXT)
    assert [about for _, about in found] == ["the latest", "halve_egg", "boil_water"]
    assert found[0][0] == "last"
    log.write_bytes(b"no database")
    assert completion.episodes(CONTEXT) == []
