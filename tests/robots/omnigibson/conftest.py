"""The contract fakes: a package `omnigibson` of each API, put on the path of a real worker process."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from robots.omnigibson.worker_session import WorkerSession, WorkerStart

FAKES = Path(__file__).parent / "fakes"
APIS = ("a", "b", "c")
BOIL = "boil_water_in_the_microwave"
SessionMaker = Callable[..., WorkerSession]


def environment(api: str = "a", fault: str = "", **more: str) -> Mapping[str, str]:
    return {
        "PYTHONPATH": f"{FAKES / api}:{FAKES / 'common'}",
        "FAKE_FAULT": fault,
        **more,
    }


@pytest.fixture
def session() -> Iterator[SessionMaker]:
    """session("a", "heavy") -> a worker on the fake of API A, open, with what goes wrong in it."""
    opened = []

    def make(api: str = "a", fault: str = "", **more: str) -> WorkerSession:
        made = WorkerSession(WorkerStart(sys.executable, env=environment(api, fault, **more)))
        opened.append(made)
        made.open()
        return made

    yield make
    for one in opened:
        one.close(0.0)


def load(session: WorkerSession, activity: str = BOIL, scene: str = "a scene", robot: str = "Fetch") -> dict:  # type: ignore[type-arg]
    answer = session.call("load", activity=activity, scene=scene, robot=robot, size=256, headless=True)
    assert isinstance(answer, dict)
    return answer
