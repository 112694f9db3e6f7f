"""Domains that nobody planned for run on the symbolic robot."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.config import Settings
from core.events import EpisodeResult
from core.planning import domain_library
from tests.episodes import episode

FOLDERS = sorted((Path(__file__).parent / "fixtures" / "domains").iterdir())
TASKS = [(folder, task) for folder in FOLDERS for task in domain_library.load_domain_spec(folder).tasks]


@pytest.mark.parametrize(("folder", "task"), TASKS, ids=lambda x: getattr(x, "name", x))
def test_that_a_folder_runs_on_the_symbolic_robot(folder: Path, task: str) -> None:
    calm = episode(Settings(task=task, domain=str(folder), pictures=False, openness=0))
    assert calm.true and calm.replans == 0


@pytest.mark.parametrize(("folder", "task"), TASKS, ids=lambda x: getattr(x, "name", x))
def test_that_nothing_breaks_where_things_go_wrong_and_answers_are(folder: Path, task: str) -> None:
    for seed in range(3):
        done = episode(
            Settings(task=task, domain=str(folder), answerer="gpt-4.1-blocks", pictures=False, seed=seed)
        )
        assert done.ended.result is not EpisodeResult.CRASHED


def test_that_blocks_world_and_gripper_are_among_them() -> None:
    assert {"blocks", "gripper"} <= {folder.name for folder in FOLDERS}
