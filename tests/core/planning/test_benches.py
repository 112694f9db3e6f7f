"""That the shipped benches are whole folders, and that their worlds differ from them in what they state."""

from pathlib import Path

import pytest

from core.config import Settings
from core.errors import UnknownName
from core.install_paths import resource_path
from core.planning.domain_library import load_domain_spec
from core.planning.domain_toml import with_truth
from tests.episodes import episode

BENCHES = resource_path("resources", "benches")
TRUTHS = sorted(BENCHES.glob("*/truth/*.toml"))


@pytest.mark.parametrize("path", TRUTHS, ids=lambda path: f"{path.parts[-3]}-{path.stem}")
def test_that_a_truth_changes_the_world_and_not_what_the_folder_says(path: Path) -> None:
    told = load_domain_spec(path.parts[-3])
    true = with_truth(told, path)
    assert (true.skills, true.world_rules) != (told.skills, told.world_rules)
    assert (true.rules, true.mutexes, true.predicate_specs) == (
        told.rules,
        told.mutexes,
        told.predicate_specs,
    )
    assert {n: s.detects for n, s in true.skills.items()} == {n: s.detects for n, s in told.skills.items()}


@pytest.mark.parametrize("bench", sorted(p.name for p in BENCHES.iterdir()))
def test_that_every_task_of_a_bench_is_done_where_nothing_goes_wrong(bench: str) -> None:
    for name, task in load_domain_spec(bench).tasks.items():
        found = Settings(
            task=name, domain=bench, robot="symbolic", method="classical", pictures=False, openness=0.0
        )
        run = episode(found)
        assert run.true and run.steps == task.plan_length


def test_that_an_unknown_truth_is_said() -> None:
    options = {"robot.truth": "spill"}
    with pytest.raises(UnknownName, match="spills"):
        episode(Settings(task="two", domain="rack", robot="symbolic", options=options, pictures=False))
