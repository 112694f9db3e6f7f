"""In the terminal, words from outside are printed as words."""

from __future__ import annotations

import logging
import os
import pty
from typing import Any

import pytest
from rich.table import Table
from rich.text import Text

from app.cli.options import report_errors
from app.cli.output import printing
from app.cli.output.episode_printer import EpisodePrinter
from app.cli.output.printing import OperatorGone, PlainConsole, PlainLogFormatter, ask, print_line, print_text
from app.cli.terminal_operator import TerminalOperator
from core.belief import Answer, Atom, Belief, BeliefSource, Query, Verdict
from core.episode_state import EpisodeState
from core.errors import AnswererError
from core.events import (
    ActionProposed,
    DecisionMade,
    EpisodeEnded,
    EpisodeResult,
    Notice,
    StepFinished,
    StepStarted,
    StopRequested,
)
from core.operator import (
    Addressee,
    AnswerReview,
    Correct,
    End,
    Proceed,
    Proposal,
    ProposalKind,
    operator_name,
)
from core.planning import domain_library
from core.planning.planner import make_planner
from core.planning_model import Step
from core.ports import Frame, StepResult, StepStatus, all_unknown
from core.reason import RepeatedFailure
from core.stop_token import StopToken
from core.text.untrusted_text import MAX_CHARS

FOLDER, TASK = domain_library.load_task("halve_egg")
HOSTILE = "[/red][link=file:///etc/passwd] \x1b]0;owned\x07\x1b]52;c;cm0gLXJm\x07 [bold :bomb:"
Captured = pytest.CaptureFixture[str]


def harmless(printed: str) -> bool:
    return "\x1b" not in printed and "\x07" not in printed and "[/red]" in printed


def test_that_an_error_that_a_server_wrote_does_nothing_to_the_terminal(capsys: Captured) -> None:
    import typer

    with pytest.raises(typer.Exit), report_errors():
        raise AnswererError(HOSTILE)
    assert harmless(capsys.readouterr().err)


def test_that_of_a_very_long_error_no_more_is_printed_than_is_read(capsys: Captured) -> None:
    print_text("x" * 10**7, error=True)
    assert len(capsys.readouterr().err) == MAX_CHARS + 1


@pytest.mark.parametrize("words", [HOSTILE, Text(HOSTILE)], ids=["str", "Text"])
def test_that_a_screen_prints_markup_and_controls_as_words(words: Any, capsys: Captured) -> None:
    PlainConsole().print(words)
    table = Table("what")
    table.add_row(words)
    PlainConsole().print(table)
    print_text(HOSTILE)
    assert harmless(capsys.readouterr().out)


def test_that_the_programs_own_colours_stay(capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    PlainConsole().print(Text(HOSTILE, style="red"))
    printed = capsys.readouterr().out
    assert "\x1b[31m" in printed and "\x1b]" not in printed


def test_that_markup_in_a_reason_crashes_no_stop(capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    """It was taken for rich's markup, and the episode crashed while the robot waited for a person."""
    person = TerminalOperator(FOLDER, TASK.problem, PlainConsole(), "kim")
    proposal = Proposal(1, 1, ProposalKind.STOP_RELEASE, explanation=HOSTILE, stop_number=7)
    monkeypatch.setattr("builtins.input", lambda: "release")
    assert person.decide(proposal) == Proceed(7, "kim")
    helpless = Proposal(2, 1, ProposalKind.HELP_NEEDED, explanation=HOSTILE)
    monkeypatch.setattr("builtins.input", lambda: "q")
    assert isinstance(person.decide(helpless), End)
    assert harmless(capsys.readouterr().out)


def test_that_where_nobody_is_nothing_is_approved(monkeypatch: pytest.MonkeyPatch) -> None:
    def gone() -> str:
        raise EOFError

    monkeypatch.setattr("builtins.input", gone)
    with pytest.raises(OperatorGone):
        ask(PlainConsole(), "next")
    step = make_planner().plan(TASK.problem, StopToken()).steps[0]
    person = TerminalOperator(FOLDER, TASK.problem, PlainConsole(), "kim")
    assert isinstance(person.decide(Proposal(1, 1, ProposalKind.STEP, step)), End)


def test_that_a_signal_just_before_the_terminal_is_read_ends_the_question(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def looks(*_: object) -> tuple[list[object], ...]:
        monkeypatch.setattr(printing, "_leaving", True)
        return [], [], []

    ours, theirs = pty.openpty()
    monkeypatch.setattr(printing, "_leaving", False)
    monkeypatch.setattr(printing, "_asking", False)
    monkeypatch.setattr(printing.select, "select", looks)
    with os.fdopen(ours), os.fdopen(theirs) as terminal:
        monkeypatch.setattr("sys.stdin", terminal)
        with pytest.raises(OperatorGone):
            ask(PlainConsole(), "next")


def test_that_what_a_log_tells_is_words(capsys: Captured) -> None:
    EpisodePrinter(FOLDER, PlainConsole()).show(Notice("fault", HOSTILE), EpisodeState())
    assert harmless(capsys.readouterr().out)


def test_that_what_is_logged_is_words() -> None:
    record = logging.LogRecord("a", logging.ERROR, "", 0, HOSTILE, (), None)
    assert harmless(PlainLogFormatter().format(record))


def test_that_a_failed_step_after_which_the_plan_holds_says_so_and_a_correction_what_it_corrected(
    capsys: Captured,
) -> None:
    printer, step = EpisodePrinter(FOLDER, PlainConsole()), Step("find", ("agent", "knife"))
    seen = Answer(Atom("inview", ("agent", "knife")), Verdict.YES, BeliefSource.OPERATOR)
    for status in (StepStatus.FAILED, StepStatus.DONE):
        printer.show(StepFinished(1, step, StepResult(status)), EpisodeState())
        printer.show(DecisionMade(0, 1, Correct((seen,), "ada")), EpisodeState())
        printer.show(StepStarted(2, step), EpisodeState())
    said = capsys.readouterr().out
    assert said.count("the plan goes on") == 1 and "ada: the knife is in view" in said
    printer.show(StopRequested(1, "You stopped it.", "visitor"), EpisodeState())
    printer.show(EpisodeEnded(EpisodeResult.ENDED, "Ended by you.", False), EpisodeState())
    printer.show(DecisionMade(0, 1, End("Ended by you.", operator_name())), EpisodeState())
    printer.show(EpisodeEnded(EpisodeResult.ENDED, "Ended by you.", False), EpisodeState())
    assert [line for line in capsys.readouterr().out.splitlines() if line.startswith("ended")] == [
        "ended: Ended by visitor.",
        "ended: Ended by you.",
    ]


def test_that_a_step_that_keeps_failing_says_what_was_tried(capsys: Captured) -> None:
    step = Step("find", ("agent", "knife"))
    for report in ("the gripper was empty", HOSTILE):
        proposal = Proposal(4, 4, ProposalKind.STEP, step, failing=RepeatedFailure(step, 3, report))
        EpisodePrinter(FOLDER, PlainConsole()).show(ActionProposed(proposal), EpisodeState())
    said, hostile = capsys.readouterr().out.split("◆")[1:]
    assert said.strip() == "keeps failing: find the knife failed 3 times: the gripper was empty"
    assert harmless(hostile)


@pytest.mark.parametrize(
    ("words", "printed"),
    [
        ("  ? one two three four", "  ? one two\n    three four"),
        (" 12  ▸ one two three", " 12  ▸ one two\n       three"),
        ("one two three four", "one two\n  three four"),
        ("(one two three four)", "(one two\n  three four)"),
        ("  at /a/path/that/is/long", "  at\n  /a/path/that/is/long"),
        ("a\n\nb", "a\n\nb"),
    ],
)
def test_that_further_lines_hang_under_the_first(
    words: str, printed: str, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "14")
    print_line(PlainConsole(), words)
    assert capsys.readouterr().out == printed + "\n"


def test_that_a_question_to_a_person_names_no_model(
    capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    person = TerminalOperator(FOLDER, TASK.problem, PlainConsole(), "kim")
    query = Query(Atom("lit", ("lamp",)), "Is the lamp on?")
    nobody = all_unknown((query,), 1, "", "")
    monkeypatch.setattr("builtins.input", lambda: "y")
    (counted,) = person.review(
        AnswerReview(1, Frame(""), (query,), nobody, Belief(), addressee=Addressee.OPERATOR)
    )
    assert (counted.verdict, counted.by) == (Verdict.YES, "kim")
    printed = capsys.readouterr().out
    assert "Is the lamp on? (no model)" in printed and "what the model said" not in printed


def test_that_what_takes_long_says_how_far_it_is_and_what_does_not_is_quiet(
    capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    for slow in (1000.0, 0.0):
        monkeypatch.setattr(printing, "SLOW", slow)
        with printing.progress(PlainConsole(stderr=True), "exporting") as report:
            for done in range(10):
                report(done, 10)
    lines = capsys.readouterr().err.split("\n")
    assert [line.strip() for line in lines if line] == [f"exporting: {n} %" for n in (20, 40, 60, 80)]
