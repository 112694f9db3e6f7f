"""A computer that does not keep up ends one simulated episode, and not those after it; a person ends all."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from app.cli import run_episode
from app.episode.episode_runner import EpisodeRunner
from core.events import PROGRAM
from core.log.store import Store
from core.stop_token import Late
from tests.command import call

LATE = Late("The terminal did not respond for 0.5 s while the robot moved.")


@pytest.mark.parametrize(
    ("stops", "ran"),
    [
        ([(LATE, PROGRAM)], 3),
        ([(str(LATE), PROGRAM)], 1),  # the same words of another cause
        ([(str(LATE), "")], 1),  # `stop` in another terminal
        ([("ada pressed Esc", "ada"), (LATE, PROGRAM)], 1),
    ],
)
def test_that_only_what_nobody_stopped_goes_on(
    stops: list[tuple[str, str]], ran: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    @contextmanager
    def stopped(runner: EpisodeRunner, *_: object) -> Iterator[None]:
        """Stop the robot of the first episode as it begins its first step."""
        do, late = runner.components.robot.do, stops[:]

        def stop_and_do(*given: object) -> object:
            while late:
                reason, by = late.pop(0)
                runner.stop(reason, by)
                stops.remove((reason, by))
            return do(*given)  # type: ignore[arg-type]

        monkeypatch.setattr(runner.components.robot, "do", stop_and_do)
        yield

    monkeypatch.setattr(run_episode, "outside_stops", stopped)
    log = tmp_path / "log.db"
    words = ("--robot", "symbolic", "--openness", "0", "--episodes", "3", "--no-pictures")
    said = " ".join(call("run", "halve_egg", *words, "--database", str(log)).stdout.split())
    with Store.open(log, read_only=True) as store:
        results = [s.result.value if s.result else "" for s in store.episodes(descending=False)]
    assert results == ["ended", *["succeeded"] * (ran - 1)]
    assert f"{ran - 1} of {'3 episodes' if ran == 3 else '1 episode'} reached the goal" in said, said
    assert ("did not keep up in 1 of them" in said) == ("run it again with less" in said) == (ran == 3)
