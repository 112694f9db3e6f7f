"""The operator at the terminal."""

from __future__ import annotations

from dataclasses import replace
from time import monotonic, sleep

from rich.console import Console

from app.cli.output.printing import OperatorGone, ask, forget_typed
from app.presentation.candidates import atom_candidates
from core.arm.handover import HandoverChoice, SharesArm
from core.belief import Answer, Atom, BeliefSource, Verdict
from core.domains import DomainSpec
from core.errors import AnswererError
from core.knowledge.suggestion import Suggestion
from core.loop.supervision_rules import needs_review, passes
from core.operator import (
    AcceptEdited,
    AnswerReview,
    Approve,
    Choose,
    Correct,
    Decision,
    End,
    PlanChange,
    Proceed,
    Proposal,
    ProposalKind,
    RefuseSuggestion,
    Replan,
    StopRaised,
    TellSituation,
    Undo,
)
from core.planning_model import Problem, Step
from core.reason import Cause
from core.supervision import SUPERVISION_PRESETS, SupervisionLevel, SupervisionLevels
from core.text.untrusted_text import one_line, sanitise
from core.text.vocabulary import Vocabulary, in_words

APPROVE_STEPS = replace(SUPERVISION_PRESETS["Assist"], move=SupervisionLevel.APPROVE)  # --ask
TERMINAL_LEFT = "Nobody is at the terminal any more."
KEYS = {"y": Verdict.YES, "n": Verdict.NO, "u": Verdict.UNKNOWN}
HELP = (
    "Enter do it · c choose another step · b correct a belief · t tell what is unusual · z undo the last "
    "correction · r re-plan · q end the episode"
)
HELP_CHANGE = (
    "Enter accept · n refuse · 1, 3 (numbers) accept only these · w why · z undo the last change · q end"
)
ARM_WORDS = {"ask": HandoverChoice.ASK, "give": HandoverChoice.GIVE, "take": HandoverChoice.TAKE}
REPEATS = 0.8  # seconds after an Enter, within which the next one may be that of a held key
QUIET = 0.3  # seconds without a line, after which no key is held
LET_GO = "  Let go of Enter: each press approves one step, and only one that you have seen."
_HANDING_OVER = 0.05  # seconds between two looks whether the arm was given


def arm_hint(robot: object) -> str:
    """Return what can be typed now about who moves the arm, "" for nothing."""
    shared = robot.shared if isinstance(robot, SharesArm) else None
    choices = () if shared is None else shared.choices
    words = [word for word, choice in ARM_WORDS.items() if choice in choices]
    return f"  About the arm you can type: {' or '.join(words)}" if words else ""


class ArmGivenAway(Exception):
    """Another console moves the arm now, so what was asked at the gate is void."""


class TerminalOperator:
    """Asks a person before every step, and about doubtful answers. Loop's thread only.

    `arm` is the robot, if several consoles may share it.
    """

    def __init__(
        self,
        domain_spec: DomainSpec,
        problem: Problem,
        console: Console,
        name: str,
        arm: SharesArm | None = None,
        levels: SupervisionLevels = APPROVE_STEPS,
    ) -> None:
        self._domain_spec, self._problem, self._console, self._name = domain_spec, problem, console, name
        self._arm, self.supervision = arm, levels
        self._line_at = 0.0  # when the last line was typed
        self._hurried = False  # it followed so soon that its key may be held

    def asks_model(self) -> bool:
        return self.supervision.ask is not SupervisionLevel.MANUAL

    def review(self, review: AnswerReview) -> tuple[Answer, ...]:
        try:
            return self._review(review)
        except OperatorGone:
            raise AnswererError(TERMINAL_LEFT) from None

    def _review(self, review: AnswerReview) -> tuple[Answer, ...]:
        if not needs_review(self.supervision, review):
            return review.answers
        alone = all(answer.is_unasked for answer in review.answers)
        enter = "leaves it open" if alone else "keeps what the model said"
        self._console.print(f"     Enter {enter}; y, n or u is your own answer.")
        counted = []
        for query, answer in zip(review.queries, review.answers, strict=True):
            said = "no model" if answer.is_unasked else f"model: {query.text_verdict(answer.verdict).value}"
            key = self._key(f"     {query.text} ({said})", "ynu")
            counted.append(answer if not key else self._own(answer, query.atom_verdict(KEYS[key])))
        return tuple(counted)

    def accept_plan(self, revision: PlanChange) -> bool:
        if self.supervision.replan is SupervisionLevel.WATCH:
            return True
        if self.supervision.replan is SupervisionLevel.MANUAL:
            return revision.reason.cause is Cause.REQUESTED
        plan = revision.new_plan
        steps = ", ".join(map(self._domain_spec.describe_in_full, plan.steps))
        if plan.cost is not None:
            steps += f" (cost {plan.cost:g})"
        try:
            return self._key(f"     New plan: {steps}. Accept it? n keeps the old one", "yn") != "n"
        except OperatorGone:
            return False

    def next_correction(self) -> None:
        return None  # a person corrects at the gate only

    def decide(self, proposal: Proposal) -> Decision:
        try:
            return self._decide(proposal)
        except OperatorGone as gone:
            return End(str(gone) or TERMINAL_LEFT, self._name)
        except ArmGivenAway as given:
            return StopRaised(proposal.stop_number, str(given))

    def _decide(self, proposal: Proposal) -> Decision:
        if proposal.kind is ProposalKind.STOP_RELEASE:
            return self._release(proposal)
        if passes(self.supervision, proposal):
            return Approve()
        if proposal.suggestion is not None:
            return self._decide_change(proposal.suggestion)
        step = "no step: " + in_words(self._domain_spec, proposal.explanation)
        if proposal.step:
            step = self._domain_spec.describe_in_full(proposal.step)
        while True:
            self._await_quiet()
            match self._key(f"  next: {step}  [Enter/c/b/t/z/r/q/?]", "cbtzrq?"):
                case "" if self._arm is not None and self._hurried:
                    self._console.print(LET_GO)
                case "" if proposal.step or proposal.kind is ProposalKind.DOMAIN_CHANGE:
                    return Approve(self._name)
                case "c":
                    if chosen := self._choose(proposal):
                        return Choose(chosen, self._name)
                case "b":
                    if answer := self._correct(proposal):
                        return Correct((answer,), self._name)
                case "t":
                    words = "  What is unusual? (the cup is dirty; Enter: ask the model what it sees)"
                    return TellSituation(self._ask(words).strip(), self._name)
                case "z":
                    return Undo(self._name)
                case "r":
                    return Replan(self._name)
                case "q":
                    return End("Ended by the operator.", self._name)
                case _:
                    self._console.print("  " + HELP)

    def _decide_change(self, suggestion: Suggestion) -> Decision:
        """Show what was learnt, line by line, and return the person's word on it."""
        self._console.print(f"  Learnt because {sanitise(suggestion.situation.sentence)}:", markup=False)
        for number, learnt in enumerate(suggestion.changes, 1):
            self._console.print(f"  {number:3}  {sanitise(learnt.change.describe())}", markup=False)
        if suggestion.plan:
            steps = ", ".join(map(self._domain_spec.describe_in_full, suggestion.plan))
            self._console.print(f"       possible then: {sanitise(steps)}", markup=False)
        while True:
            word = self._ask(f"  {HELP_CHANGE}").lower()
            numbers = [int(n) for n in word.replace(",", " ").split() if n.isdecimal()]
            if numbers and all(0 < n <= len(suggestion.changes) for n in numbers):
                return AcceptEdited(tuple(suggestion.changes[n - 1].change for n in numbers), self._name)
            match word:
                case "":
                    return Approve(self._name)
                case "n":
                    return RefuseSuggestion(self._name)
                case "z":
                    return Undo(self._name)
                case "q":
                    return End("Ended by the operator.", self._name)
                case "w":
                    for said in (said for learnt in suggestion.changes for said in learnt.evidence):
                        text = f"     {one_line(said.prompt, 200)} → {one_line(said.raw_reply, 200)}"
                        self._console.print(text, markup=False)

    def _release(self, proposal: Proposal) -> Decision:
        self._await_quiet()  # else the lines of an Enter held before the stop end the episode unseen
        self._console.print(f"  ■ Motion is stopped: {sanitise(proposal.explanation)}")
        if hint := arm_hint(self._arm):
            self._console.print(hint)
        word = self._ask("  Type release to let it move again, anything else ends")
        if word.lower() == "release":
            return Proceed(proposal.stop_number, self._name)
        return End("Ended by the operator after a stop.", self._name)

    def _choose(self, proposal: Proposal) -> Step | None:
        from core.planning import semantics
        from core.work import TooMuchWork

        problem = replace(self._problem, state=proposal.belief.state)
        try:
            steps = semantics.applicable_steps(problem, problem.state)
        except TooMuchWork as error:
            self._console.print(f"  {error}")
            return None
        for number, step in enumerate(steps, 1):
            self._console.print(f"  {number:3}  {self._domain_spec.describe_step(step)}")
        word = self._ask("  Number (empty: none of these)")
        return steps[int(word) - 1] if word.isdecimal() and 0 < int(word) <= len(steps) else None

    def _correct(self, proposal: Proposal) -> Answer | None:
        example = next(iter(sorted(proposal.belief.state)), "")
        word = self._ask(f"  Atom, or words of one, such as: {example}")
        parts = word.strip("()").split()
        if not parts:
            return None
        atom = Atom(parts[0], tuple(parts[1:]))
        known = {p.name: len(p.parameters) for p in self._problem.domain.predicates}
        objects = {o.name for o in self._problem.all_objects}
        if known.get(atom.predicate) != len(atom.args) or not objects.issuperset(atom.args):
            words = Vocabulary.of(self._domain_spec, self._problem)
            meant = atom_candidates(self._problem, proposal.belief, word, words, 6)
            if len(meant) != 1:
                said = "; ".join(map(str, meant)) or "none has these words"
                self._console.print(f"  {atom} is no atom of this domain ({said}): nothing is changed.")
                return None
            (atom,) = meant
        held = proposal.belief.verdict(atom).value
        key = self._key(f"  {atom} is believed {held}; is it so?", "yn")
        if not key:
            return None
        return self._own(Answer(atom, KEYS[key], BeliefSource.OPERATOR, turn=proposal.turn), KEYS[key])

    def _own(self, answer: Answer, verdict: Verdict) -> Answer:
        return replace(answer, verdict=verdict, source=BeliefSource.OPERATOR, by=self._name, confidence=None)

    def _await_quiet(self) -> None:
        """Let what was typed before a question move no arm, and wait until no key is held."""
        told = False
        while self._arm is not None and forget_typed():
            if not told:
                self._console.print(LET_GO)
            told = True
            sleep(QUIET)

    def _ask(self, question: str) -> str:
        """Return what the person types, except the words about who moves the arm, which are acted on here."""
        while True:
            word = ask(self._console, question)
            before, self._line_at = self._line_at, monotonic()
            self._hurried = self._line_at - before < REPEATS
            arm, choice = self._arm, ARM_WORDS.get(word.lower())
            if arm is None or choice is None:
                return word
            if refused := arm.choose(choice):
                self._console.print(f"  Not done: {sanitise(refused)}.")
            while (shared := arm.shared) is not None and shared.busy:
                sleep(_HANDING_OVER)
            if choice is HandoverChoice.GIVE and shared is not None and not shared.moves:
                raise ArmGivenAway(shared.sentence)

    def _key(self, question: str, keys: str) -> str:
        while True:
            word = self._ask(question).lower()
            if not word or (len(word) == 1 and word in keys):
                return word
            self._console.print(f"  Enter, or one of: {', '.join(keys)}")
