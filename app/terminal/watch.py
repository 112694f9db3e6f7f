"""An episode as lines on a terminal: shape and word before colour."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from app.consulting import WHOLE, figures, reading, title
from app.words import count
from core import events as ev
from core.deciding import Correct, Need, Replan, Revision, Undo
from core.domains import Folder
from core.facts import Answer, Query, Verdict
from core.ports import Ending
from core.problem import PlanStatus, Step
from core.reason import Cause
from core.story import Story
from core.text import one_line, plain
from core.wire import kind_of

GLYPH = {Verdict.YES: "●", Verdict.NO: "○", Verdict.UNKNOWN: "◌"}
ENDING = {Ending.DONE: "✓ done", Ending.FAILED: "✗ failed", Ending.HALTED: "■ halted"}
DOUBT, FAULT, YOU, QUIET = "yellow", "red", "blue", "dim"


class Watch:
    """Prints what happens. `show` gets each record's event and the story after it. `prompts`: with the prompt
    and the whole reply of every call that a method makes of its own."""

    def __init__(self, folder: Folder, console: Console, prompts: bool = False) -> None:
        self._folder = folder
        self._console = console
        self._prompts = prompts
        self._queries: tuple[Query, ...] = ()

    def show(self, event: ev.Event, story: Story) -> None:
        match event:
            case ev.Started():
                self._started(event)
            case ev.Asked(queries=queries):
                self._queries = queries
            case ev.Answered(call=call):
                for query, answer in zip(self._queries, call.answers, strict=True):
                    self._answer(query, answer)
            case ev.Consulted():
                self._consulted(event)
            case ev.Reviewed(answers=answers):
                for answer in answers:
                    if answer.by:
                        self._line(f"  you: {self._told(answer)}", YOU)
            case ev.Believed(contradictions=contradictions):
                for found in contradictions:
                    atoms = ", ".join(map(self._folder.tell, found.atoms))
                    self._line(f"  ◆ contradiction: {atoms} — {found.why}", DOUBT)
            case ev.Planned(revision, accepted):
                self._planned(revision, accepted)
            case ev.Proposed(proposal) if proposal.need is not Need.STEP:
                self._line(f"  ◆ {proposal.need.value}: {proposal.why}", DOUBT)
            case ev.Decided(decision=Correct() | Undo() | Replan() as decision):
                self._line(f"  you: {kind_of(type(decision)).lower()}", YOU)
            case ev.Acting(turn, step):
                self._line(f"{turn:3}  ▸ {self._folder.say(step)}", "bold")
            case ev.Acted():
                self._acted(event)
            case ev.Noted(level, text):
                self._line(f"  {text}", FAULT if level == "fault" else DOUBT)
            case ev.Ended():
                self._ended(event, story)
            case _:
                pass

    # --- one kind of line each -------------------------------------------------------------------------

    def _started(self, event: ev.Started) -> None:
        words = event.settings
        self._line(f"{event.task}: {self._description(event.task)}", "bold")
        shown = ("world", "robot", "answerer", "method", "seed", "openness")
        self._line("  " + " · ".join(f"{k} {words[k]}" for k in shown if k in words), QUIET)

    def _description(self, task: str) -> str:
        found = self._folder.tasks.get(task)
        return found.description if found else self._folder.description

    def _answer(self, query: Query, answer: Answer) -> None:
        said = query.about_atom(answer.verdict)  # what was said about the text
        text = Text(f"     ? {plain(query.text)}  {GLYPH[said]} {said.value}")
        expected = query.about_atom(query.expected)
        if said is Verdict.UNKNOWN:
            text.append("  old value kept", QUIET)
        elif expected is not Verdict.UNKNOWN and said is not expected:
            text.append(f"  ◆ expected {expected.value}", DOUBT)
        self._console.print(text)

    def _consulted(self, event: ev.Consulted) -> None:
        """A method's own call: what it was read as, or what was said; with `prompts` all of it."""
        said = event.error or event.read or one_line(event.said)
        took = figures(event)
        self._line(
            f"  ? {title(event)}: {said}{f' ({took})' if took else ''}", FAULT if event.error else QUIET
        )
        if not self._prompts:
            return
        if event.reason is not None:
            self._line(f"    why: {event.reason.sentence}", QUIET)
        for message in event.messages:
            self._quote(f"prompt, {message.role}", message.text)
        if not event.error:
            self._quote("reply", event.said)
            self._line(f"    {reading(event)}", QUIET)

    def _quote(self, head: str, words: str) -> None:
        self._line(f"    {head}:", QUIET)
        for line in plain(words, WHOLE).split("\n"):
            self._line(f"      | {line}")

    def _acted(self, event: ev.Acted) -> None:
        """The situation is the simulator's truth: shown to people, never to the method."""
        outcome = event.outcome
        detail = f": {outcome.detail}" if outcome.detail and outcome.detail != event.situation else ""
        truth = f" (in truth: {event.situation})" if event.situation else ""
        self._line(
            f"       {ENDING[outcome.ending]}{detail}{truth}",
            QUIET if outcome.ending is Ending.DONE else FAULT,
        )

    def _planned(self, revision: Revision, accepted: bool) -> None:
        plan = revision.new
        cause = self._because(revision) if revision.reason.cause is not Cause.FIRST_PLAN else ""
        if plan.status is not PlanStatus.FOUND:
            self._line(f"     ↻ no plan ({plan.status.value}) {cause}".rstrip(), FAULT)
            return
        steps = count(len(plan.steps), "step")
        if revision.reason.cause is Cause.FIRST_PLAN:
            self._line(f"  plan of {steps}: {self._steps(plan.steps)}", QUIET)
            return
        kept = "" if accepted else " (you kept the old one)"
        new = plan.steps[: max(1, len(plan.steps) - _common_tail(revision.old, plan.steps))]
        self._line(f"     ↻ plans again {cause}: {self._steps(new)}, {steps} to go{kept}", YOU)

    def _because(self, revision: Revision) -> str:
        if revision.answer is not None:
            query = next((q for q in self._queries if q.atom == revision.answer.atom), None)
            if query is not None:
                said = query.about_atom(revision.answer.verdict).value
                return f"because “{query.text}” was answered {said}"
            who, holds = revision.answer.source.value, revision.answer.verdict is Verdict.YES
            return f"because {self._folder.tell(revision.answer.atom, holds)}, says the {who}"
        if revision.causes:
            return f"because it is not so that {self._folder.tell(revision.causes[0])}"
        return f"({revision.reason.sentence.lower()})"

    def _ended(self, event: ev.Ended, story: Story) -> None:
        good = event.result is ev.Result.SUCCEEDED
        self._line(f"{event.result.value}: {event.why}", "bold" if good else FAULT)
        if event.true_goal is not None:
            truth = "and it is so" if event.true_goal else "but it is NOT so"
            if not event.believed_goal:
                truth = "and in truth it is reached" if event.true_goal else "and it is not reached"
            told = ", ".join(map(self._folder.tell, event.missing))
            missing = f"; missing: {told}" if told else ""
            claim = "The goal is believed" if event.believed_goal else "The goal is not believed"
            self._line(
                f"  {claim}, {truth}{missing}", DOUBT if event.believed_goal != event.true_goal else ""
            )
        c = story.counts
        self._line(
            f"  {c.steps} steps, {c.replans} re-plans, {c.calls} calls, {c.questions} questions", QUIET
        )

    def _steps(self, steps: tuple[Step, ...]) -> str:
        return ", ".join(map(self._folder.say, steps)) or "nothing to do"

    def _told(self, answer: Answer) -> str:
        if answer.verdict is Verdict.UNKNOWN:
            return f"unknown whether {self._folder.tell(answer.atom)}"
        return self._folder.tell(answer.atom, answer.verdict is Verdict.YES)

    def _line(self, text: str, style: str = "") -> None:
        self._console.print(Text(plain(text), style=style))


def _common_tail(old: tuple[Step, ...], new: tuple[Step, ...]) -> int:
    """How many last steps both plans share."""
    shared = 0
    for a, b in zip(reversed(old), reversed(new), strict=False):
        if a != b:
            break
        shared += 1
    return shared
