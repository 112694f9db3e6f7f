"""That a profile's persistence acts in whole episodes: a wrong answer is wrong again from the same place."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import pytest

from core.belief import Atom, Query
from core.config import Settings
from core.planning.planner import ImprovingPlanner, make_planner
from core.ports import Answerer, Frame, GroundTruth, ModelCall
from core.stop_token import StopToken
from core.vqa.answerers.profiles import Profile, Rates
from core.vqa.answerers.simulated import SimulatedAnswerer
from main import make_components
from tests.episodes import events_of

ERROR = 0.34
EPISODES = 8


@dataclass
class Watched:
    """Counts how often a wrong answer is followed by another one, viewpoint and truth being the same."""

    inner: Answerer
    truth: GroundTruth
    name: str = "watched"
    last: dict[tuple[Atom, bool, str], bool] = field(default_factory=dict)  # whether it was wrong
    again: list[bool] = field(default_factory=list)

    def answer(self, frame: Frame, queries: Sequence[Query], turn: int, cancel: StopToken) -> ModelCall:
        holding = self.truth.truth()
        call = self.inner.answer(frame, queries, turn, cancel)
        for answer in call.answers:
            holds = answer.atom in holding
            key, wrong = (answer.atom, holds, frame.viewpoint), (answer.verdict.value == "yes") != holds
            if self.last.get(key):
                self.again.append(wrong)
            self.last[key] = wrong
        return call


@pytest.fixture(scope="module")
def planner() -> Iterator[ImprovingPlanner]:
    """One for all episodes: in many of them the same has to be planned."""
    made = make_planner()
    yield made
    made.close()


def wrong_again(persistence: float, robot: str, planner: ImprovingPlanner) -> list[bool]:
    rates = Rates(1 - ERROR, ERROR, "ours")
    profile = Profile("p", "", "", 0, 0, persistence, rates, sees_all=True)
    found = []
    for seed in range(EPISODES):
        parts = make_components(Settings(task="boil_water", robot=robot, pictures=False, seed=seed))
        assert isinstance(parts.robot, GroundTruth)
        watched = Watched(SimulatedAnswerer(profile, parts.robot, seed), parts.robot)
        try:
            events_of(replace(parts, answerer=watched, planner=planner))
        finally:
            parts.close()
        found += watched.again
    return found


@pytest.mark.parametrize(
    ("robot", "persistence"),
    [
        ("symbolic", 0.8),
        *(
            pytest.param(robot, persistence, marks=pytest.mark.long)
            for robot in ("kitchen", "symbolic")
            for persistence in (0.0, 0.8, 1.0)
            if (robot, persistence) != ("symbolic", 0.8)
        ),
    ],
)
def test_that_a_wrong_answer_is_repeated_as_often_as_the_profile_says(
    persistence: float, robot: str, planner: ImprovingPlanner
) -> None:
    again = wrong_again(persistence, robot, planner)
    rate = persistence + (1 - persistence) * ERROR
    error = (rate * (1 - rate) / len(again)) ** 0.5
    assert len(again) > 30
    assert sum(again) / len(again) == pytest.approx(rate, abs=max(4 * error, 1e-9))
