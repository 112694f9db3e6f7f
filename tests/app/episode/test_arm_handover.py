"""What other consoles at the arm do reaches this one's gate, its log and its person."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from app.cli.output.episode_printer import EpisodePrinter
from app.cli.output.printing import PlainConsole
from core.arm.handover import ArmConsole, HandoverChoice, HandoverNews, SharedArm
from core.domains import DomainSpec
from core.episode_state import EpisodeState, Phase
from core.events import ArmHandover, HandoverStage
from robots.symbolic.robot import SymbolicRobot
from tests.app.conftest import Driver, Opened
from tests.app.episode.test_arm_stop import with_robot

ANNA, BEN = "Anna (window 1)", "Ben (window 2)"
ME = ArmConsole("Ben", "window", "lab", 2, 0.0)
ASKED = ArmHandover(HandoverStage.ASKED, ANNA, BEN)
GIVEN = ArmHandover(HandoverStage.GIVEN, ANNA, BEN)


class Others:
    """The other consoles, as the test says; this one joined as a watcher."""

    def __init__(self) -> None:
        self.shared: SharedArm | None = SharedArm(ME, moves=True)
        self.tell: Callable[[HandoverNews], None] = lambda news: None
        self.robot: SymbolicRobot | None = None

    def bar(self, reason: str, event: ArmHandover | None = None, stopped_by: str = "") -> None:
        assert self.robot is not None
        self.tell(HandoverNews(event, self.robot.halt(), reason, stopped_by))


@pytest.fixture
def others() -> Others:
    return Others()


@pytest.fixture
def at(opened: Opened, others: Others) -> Driver:
    class Shared(SymbolicRobot):
        @property
        def shared(self) -> SharedArm | None:
            return others.shared

        def choose(self, choice: HandoverChoice) -> str:
            return ""

        def attend(self, kind: str, listener: Callable[[HandoverNews], None]) -> None:
            assert kind == "window"
            others.robot, others.tell = self, listener
            others.bar(f"{ANNA} moves this arm: ask for it first.")

    at = opened(make=with_robot(Shared), preset="Watch", pace=30.0)
    at.ready()
    return at


def test_that_a_watcher_waits_at_the_gate_until_it_is_given_the_arm_and_released(
    at: Driver, others: Others
) -> None:
    others.tell(HandoverNews(ASKED))
    at.start("Watch")
    state = at.phase(Phase.STOPPED)
    assert state.proposal is not None
    assert state.proposal.explanation == f"{ANNA} moves this arm: ask for it first."
    assert (state.frame, state.counts.calls) == (None, 0), "nothing is asked of a model meanwhile"
    assert state.notices[-1].text == f"{BEN} asked {ANNA} for the arm.", "it was asked before Start"
    others.bar(GIVEN.sentence, GIVEN)
    at.until(lambda: at.state.proposal is not None and at.state.proposal.explanation == GIVEN.sentence)
    at.console.bindings.release_stop()
    at.phase(Phase.ACTING)
    labels = [mark.label for mark in at.state.marks if mark.kind == "handover"]
    assert labels == [ASKED.sentence, GIVEN.sentence]


def test_that_a_stop_by_another_console_is_logged_with_its_name(at: Driver, others: Others) -> None:
    at.start("Watch")
    at.phase(Phase.STOPPED)
    at.console.bindings.release_stop()
    at.phase(Phase.ACTING)
    others.bar(f"{BEN} stopped it.", stopped_by=BEN)
    state = at.phase(Phase.STOPPED)
    assert state.proposal is not None and state.proposal.explanation == f"{BEN} stopped it."
    at.until(lambda: at.state.stop is not None and at.state.stop.seconds is not None)
    assert [mark.label for mark in at.state.marks if mark.kind == "stop"] == [f"{BEN} stopped it."]


def test_that_whoever_is_asked_for_the_arm_is_told_wherever_the_panel_is(at: Driver, others: Others) -> None:
    others.shared = SharedArm(ME, moves=True, asker=BEN)
    words = f"{BEN} asks for the arm: give it up in the Robot panel"
    at.until(lambda: at.window.status._words.text() == words)
    others.shared = SharedArm(ME, moves=True)
    at.until(lambda: at.window.status._words.text() != words)


@pytest.mark.parametrize(
    ("event", "words"),
    [
        (ASKED, "Ben (window 2) asked Anna (window 1) for the arm."),
        (GIVEN, "Anna (window 1) gave up the arm for Ben (window 2)."),
        (
            ArmHandover(HandoverStage.REFUSED, ANNA, BEN, "no answer within 60 s"),
            "Anna (window 1) did not give the arm to Ben (window 2): no answer within 60 s.",
        ),
        (
            ArmHandover(HandoverStage.TAKEN, ANNA, BEN),
            "Ben (window 2) took the arm: Anna (window 1) was gone.",
        ),
        (ArmHandover(HandoverStage.TAKEN, "", BEN), "Ben (window 2) took the arm: nobody moved it."),
    ],
)
def test_that_the_terminal_says_it_in_a_sentence(
    event: ArmHandover, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    spec: DomainSpec = None  # type: ignore[assignment]
    EpisodePrinter(spec, PlainConsole()).show(event, EpisodeState())
    assert words in " ".join(capsys.readouterr().out.split())
