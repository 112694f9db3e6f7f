"""Print an episode line by line; shape and word come before colour."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from app.cli.output.printing import print_line
from app.presentation.formatting import HELD_UP, WHOLE, call_cost_text, call_title, interpretation_text
from app.presentation.likelihood import fine_percent, goal_likelihood_text
from core import events as ev
from core.belief import Answer, Query, Verdict
from core.domains import DomainSpec
from core.episode_state import EpisodeState
from core.knowledge.suggestion import Suggestion
from core.operator import Correct, End, PlanChange, Proposal, ProposalKind, Replan, Undo, operator_name
from core.planning_model import Literal, PlanStatus, Step, same_step
from core.ports import StepStatus
from core.reason import Cause, RepeatedFailure
from core.state.causes import evidence, explain, is_confirmed, result_words
from core.text.plural import plural
from core.text.untrusted_text import one_line, sanitise
from core.text.vocabulary import Vocabulary, in_words

GLYPH = {Verdict.YES: "●", Verdict.NO: "○", Verdict.UNKNOWN: "◌"}
ENDING = {StepStatus.DONE: "✓ done", StepStatus.FAILED: "✗ failed", StepStatus.HALTED: "■ halted"}
DOUBT, FAULT, YOU, QUIET = "yellow", "red", "blue", "dim"

_TRUTH = {  # by whether the goal is believed, and whether it is reached
    (True, True): "confirms that the goal is reached",
    (True, False): "says that the goal is NOT reached",
    (False, True): "says that the goal is reached",
    (False, False): "confirms that the goal is not reached",
}


class EpisodePrinter:
    """Prints events. `show` receives each record's event and the state after it.

    With `prompts`, a method's own model calls are printed with prompt and reply.
    """

    def __init__(self, domain_spec: DomainSpec, console: Console, prompts: bool = False) -> None:
        self._domain_spec = domain_spec
        self._console = console
        self._prompts = prompts
        self._queries: tuple[Query, ...] = ()
        self._goal: tuple[Literal, ...] = ()
        self._vocabulary = Vocabulary(domain_spec)
        self._failed = False  # the last step, and no plan came after it
        self._by = ""  # who stopped or ended it last

    def show(self, event: ev.Event, state: EpisodeState) -> None:
        match event:
            case ev.EpisodeStarted():
                self._goal = event.goal
                self._started(event)
            case ev.QuestionsAsked(queries=queries):
                self._queries = queries
            case ev.AnswersReceived(call=call):
                for query, answer in zip(self._queries, call.answers, strict=True):
                    self._answer(query, answer)
            case ev.ModelConsulted():
                self._consulted(event)
            case ev.AnswersReviewed(answers=answers):
                for answer in answers:
                    if answer.by:
                        self._line(f"  {_who(answer.by)}: {self._describe(answer)}", YOU)
            case ev.BeliefChanged(contradictions=contradictions):
                for found in contradictions:
                    atoms = ", ".join(map(self._domain_spec.describe_atom, found.atoms))
                    self._line(f"  ◆ contradiction: {atoms} — {found.reason}", DOUBT)
            case ev.PlanImproving(_, length):
                self._line(f"     ↻ a plan of {plural(length, 'step')}; looking for a better one", QUIET)
            case ev.PlanMade(revision, accepted):
                self._planned(revision, accepted, state)
            case ev.OfferWithdrawn():
                self._line("     ↻ the new plan is withdrawn", YOU)
            case ev.ActionProposed(Proposal(failing=RepeatedFailure() as failing)):
                said = failing.sentence(self._domain_spec.describe_step, self._domain_spec.describe_atom)
                self._line(f"  ◆ keeps failing: {in_words(self._domain_spec, said)}", DOUBT)
            case ev.SituationNoticed(_, told):
                self._line(f"  ◆ told by {told.by or 'nobody'}: “{one_line(told.sentence)}”", DOUBT)
            case ev.ActionProposed(Proposal(suggestion=Suggestion() as suggestion)):
                self._line(f"  ◆ suggested because “{one_line(suggestion.situation.sentence)}”:", DOUBT)
                for learnt in suggestion.changes:
                    self._line(f"      {learnt.change.describe()}   {learnt.change.pddl}")
            case ev.DomainChanged(_, difference, _, accepted, reason) if reason.cause is not Cause.UNDONE:
                done = "changed" if accepted else "not changed"
                self._line(f"  the domain is {done}: {one_line(difference)}", YOU)
            case ev.StopRequested(by=by) | ev.DecisionMade(decision=End(by=by)):
                self._by = by
            case ev.ActionProposed(proposal) if proposal.kind is not ProposalKind.STEP:
                kind = "stopped" if proposal.kind is ProposalKind.STOP_RELEASE else proposal.kind.value
                said = _named(proposal.explanation, self._by)
                self._line(f"  ◆ {kind}: {in_words(self._domain_spec, said)}", DOUBT)
                if state.is_held_up:
                    self._line(f"  ◆ {HELD_UP}", DOUBT)
            case ev.DecisionMade(decision=Correct(answers, by)):
                self._line(f"  {_who(by)}: {', '.join(map(self._describe, answers))}", YOU)
            case ev.DecisionMade(decision=Undo(by) | Replan(by) as decision):
                self._line(f"  {_who(by)}: {type(decision).__name__.lower()}", YOU)
            case ev.StepStarted(turn, step):
                if self._failed:
                    self._line("     → the plan goes on: by what is believed, it still holds", QUIET)
                self._line(f"{turn:3}  ▸ {self._domain_spec.describe_in_full(step)}", "bold")
            case ev.StepFinished():
                self._acted(event)
            case ev.ArmHandover():
                self._line(f"  ◆ {event.sentence}", DOUBT)
            case ev.Notice(level, text):
                self._line(f"  {text}", FAULT if level == "fault" else DOUBT)
            case ev.EpisodeEnded():
                self._ended(event, state)
            case _:
                pass

    # --- one kind of line each -------------------------------------------------------------------------

    def _started(self, event: ev.EpisodeStarted) -> None:
        words = event.settings
        self._line(f"{event.task}: {self._description(event.task)}", "bold")
        shown = ("world", "robot", "answerer", "method", "seed", "openness")
        self._line("  " + " · ".join(f"{k} {words[k]}" for k in shown if k in words), QUIET)
        for learnt in (one for one in event.knowledge if not one.robot):
            self._line(f"  learnt before: {learnt.change.describe()}", QUIET)
        if counts := sum(bool(learnt.robot) for learnt in event.knowledge):
            self._line(f"  counted before: {plural(counts, 'rate')}; `knowledge` lists them", QUIET)

    def _description(self, task: str) -> str:
        found = self._domain_spec.tasks.get(task)
        return found.description if found else self._domain_spec.description

    def _answer(self, query: Query, answer: Answer) -> None:
        said = query.text_verdict(answer.verdict)  # what was said about the text
        text = Text(f"     ? {sanitise(query.text)}  {GLYPH[said]} {said.value}")
        expected = query.text_verdict(query.expected)
        if said is Verdict.UNKNOWN:
            text.append("  old value kept", QUIET)
        elif expected is not Verdict.UNKNOWN and said is not expected:
            text.append(f"  ◆ expected {expected.value}", DOUBT)
        print_line(self._console, text)

    def _consulted(self, event: ev.ModelConsulted) -> None:
        """Print a method's own model call: its interpretation or reply; with `prompts` all of it."""
        said = event.error or event.interpretation or one_line(event.raw_reply)
        took = call_cost_text(event)
        self._line(
            f"  ? {call_title(event)}: {said}{f' ({took})' if took else ''}", FAULT if event.error else QUIET
        )
        if not self._prompts:
            return
        if event.reason is not None:
            self._line(f"    why: {event.reason.sentence}", QUIET)
        for message in event.messages:
            self._quote(f"prompt, {message.role}", message.text)
        if not event.error:
            self._quote("reply", event.raw_reply)
            self._line(f"    {interpretation_text(event)}", QUIET)

    def _quote(self, head: str, words: str) -> None:
        self._line(f"    {head}:", QUIET)
        for line in sanitise(words, WHOLE).split("\n"):
            self._line(f"      | {line}")

    def _acted(self, event: ev.StepFinished) -> None:
        """Print a step's result. The situation is the simulator's ground truth, shown to people and never to
        the method.
        """
        outcome = event.result
        self._failed = outcome.status is StepStatus.FAILED
        told = outcome.detail and outcome.detail != event.situation
        detail = f": {in_words(self._domain_spec, outcome.detail)}" if told else ""
        truth = f" (in truth: {event.situation})" if event.situation else ""
        self._line(
            f"       {ENDING[outcome.status]}{detail}{truth}",
            QUIET if outcome.status is StepStatus.DONE else FAULT,
        )

    def _planned(self, revision: PlanChange, accepted: bool, state: EpisodeState) -> None:
        plan, self._failed = revision.new_plan, False
        cause = self._because(revision, state) if revision.reason.cause is not Cause.FIRST_PLAN else ""
        if plan.status is not PlanStatus.FOUND:
            self._line(f"     ↻ no plan ({plan.status.value}) {cause}".rstrip(), FAULT)
            return
        if revision.reason.cause is Cause.FIRST_PLAN:
            self._line(f"  plan of {plan.size}: {self._steps(plan.steps)}", QUIET)
            return
        kept = "" if accepted else " (the old one was kept)"
        new = plan.steps[: max(1, len(plan.steps) - _common_tail(revision.old_steps, plan.steps))]
        self._line(f"     ↻ plans again {cause}: {self._steps(new)}, {plan.size} to go{kept}", YOU)

    def _because(self, revision: PlanChange, state: EpisodeState) -> str:
        """Return the cause in brackets, as the window words it."""
        because = explain(revision.reason, state, self._vocabulary, revision.old_steps)
        return f"because {because.sentence}" if revision.trigger else f"({because.head.lower()})"

    def _ended(self, event: ev.EpisodeEnded, state: EpisodeState) -> None:
        good, goal = event.result is ev.EpisodeResult.SUCCEEDED, self._goal
        confirmed = is_confirmed(state.belief, goal)
        result = result_words(event.result, event.true_goal, confirmed)
        reason = in_words(self._domain_spec, _named(event.reason, self._by))
        self._line(f"{result}: {reason}", FAULT if not good else "bold" if confirmed else DOUBT)
        known = []
        if event.probability is not None:
            known.append(f"{goal_likelihood_text(event.probability)}, {fine_percent(event.probability)}")
        if event.believed_goal:
            known.append(evidence(state.belief, goal) + ("" if confirmed else ", none of it seen since"))
        if known:
            self._line(f"  goal: {'; '.join(known)}", "" if confirmed or not event.believed_goal else DOUBT)
        if event.true_goal is not None:
            atoms = ", ".join(map(self._domain_spec.describe_atom, event.missing))
            missing = f"; missing: {atoms}" if atoms else ""
            verdict = _TRUTH[event.believed_goal, event.true_goal]
            self._line(
                f"  The simulator {verdict}{missing}", DOUBT if event.believed_goal != event.true_goal else ""
            )
        c = state.counts
        counts = {"step": c.steps, "re-plan": c.replans, "call": c.calls, "question": c.questions}
        self._line("  " + ", ".join(plural(n, name) for name, n in counts.items()), QUIET)

    def _steps(self, steps: tuple[Step, ...]) -> str:
        return ", ".join(map(self._domain_spec.describe_in_full, steps)) or "nothing to do"

    def _describe(self, answer: Answer) -> str:
        if answer.verdict is Verdict.UNKNOWN:
            return f"unknown whether {self._domain_spec.describe_atom(answer.atom)}"
        return self._domain_spec.describe_atom(answer.atom, answer.verdict is Verdict.YES)

    def _line(self, text: str, style: str = "") -> None:
        print_line(self._console, sanitise(text), style)


def _who(by: str) -> str:
    """Return "you" for the person at this program, and a name for any other, such as a visitor."""
    return by if by and by != operator_name() else "you"


def _named(sentence: str, by: str) -> str:
    """Return what a person stopped or ended with their name, where that is not who reads it."""
    who = _who(by)
    return sentence.replace("You stopped", f"{who.capitalize()} stopped").replace("by you", f"by {who}")


def _common_tail(old: tuple[Step, ...], new: tuple[Step, ...]) -> int:
    """Return how many last steps the plans share."""
    shared = 0
    for a, b in zip(reversed(old), reversed(new), strict=False):
        if not same_step(a, b):
            break
        shared += 1
    return shared
