"""That careful decides the same, for the same reasons, on the same seeds."""

from __future__ import annotations

import json

import pytest

from core.config import Settings
from tests.same_episodes import FOLDER, careful_cases, careful_digest, played_carefully
from tests.sampling import some

EXPECTED = json.loads((FOLDER / "careful.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize(("name", "settings"), some(careful_cases(), 3), ids=lambda value: str(value)[:40])
def test_that_an_episode_is_the_same_as_ever(name: str, settings: Settings) -> None:
    assert careful_digest(played_carefully(settings, name.endswith("person"))) == EXPECTED[name]
