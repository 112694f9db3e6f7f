"""A model that says nothing, in `run` and in the window: no claim without evidence, each cause named."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.presentation.decision_summary import decision_summary
from core.episode_state import EpisodeState, Phase
from core.events import EpisodeResult
from core.planning.domain_library import load_domain_spec
from core.text.vocabulary import Vocabulary
from core.vqa.mock.faults import Fault
from core.vqa.mock.mock_server import MockServer, start_mock_server
from tests.app.conftest import Opened
from tests.command import call
from tests.core.vqa.silent_kinds import LASTING, SILENT
from tests.sampling import some

RUN = ("run", "halve_egg", "--robot", "symbolic", "--seed", "3", "--no-pictures", "--json")
AT_ONCE = SILENT | LASTING  # the others are tried for many seconds first


@pytest.fixture
def server() -> Iterator[MockServer]:
    made = start_mock_server("perfect")
    yield made
    made.close()


@pytest.mark.parametrize("fault", some(AT_ONCE, 4))
def test_that_run_claims_nothing_and_names_the_cause(
    server: MockServer, tmp_path: Path, fault: Fault
) -> None:
    server.faults = lambda call: fault
    ran = call(*RUN, "--answerer", server.url, "--database", str(tmp_path / "log.db"))
    told = json.loads(ran.stdout.splitlines()[-1])
    assert told["result"] == "ended" and ran.exit_code in (1, 3)
    assert AT_ONCE[fault] in told["why"]
    assert told["why"].startswith("The model never answered: ") is (fault in SILENT)
    assert told["calls"] == (3 if fault in SILENT else 1)


def strip_of(state: EpisodeState) -> str:
    """Return all that the strip says."""
    shown = decision_summary(state, Vocabulary(load_domain_spec("household")))
    return " ".join(words for part in (shown.next, shown.because) for words in (part.head, *part.lines))


@pytest.mark.parametrize("fault", [*some(SILENT, 12), *some(LASTING, 99)])
def test_that_the_window_asks_its_person_and_names_the_cause(
    again: Opened, server: MockServer, fault: Fault
) -> None:
    server.faults = lambda call: fault
    at = again(preset="Watch", answerer=server.url, task="halve_egg")
    at.start("Watch")
    state = at.phase(Phase.REVIEWING)
    assert AT_ONCE[fault] in strip_of(state) and "No answer from" in strip_of(state)
    at.pass_until(lambda: at.state.phase is Phase.HELP_NEEDED)
    assert "The model does not answer" in strip_of(at.state)
    assert f"The model never answered {at.state.cards[-1].error}" in strip_of(at.state)
    at.do("end")
    state = at.over()
    assert state.ended.result is EpisodeResult.ENDED and AT_ONCE[fault] in strip_of(state)
