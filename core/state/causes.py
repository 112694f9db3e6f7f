"""Explain a reason: what is so, who said or sensed it in which turn, and what came of it. Pure.

The strip, the plan panel, the terminal, the report and the video all word a `Reason` here, so that they
cannot differ.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from core.belief import Answer, Atom, Belief, BeliefSource, Purpose, Verdict
from core.episode_state import EpisodeState, QuestionCard, SuggestionState
from core.events import EpisodeResult
from core.planning_model import Literal, Step
from core.reason import Cause, Reason
from core.text.untrusted_text import one_line
from core.text.vocabulary import Vocabulary

_CHANGED = re.compile(r"(\([^)]*\)) (yes|no)")  # in a fork's settings, see `Fork.as_strings`
ABOUT_STEP = (Cause.UNSUCCESSFUL, Cause.IMPOSSIBLE)  # their answer is about a step, not about a fact
# Of the others a note may say after a colon what is weighed, or hoped for.
IN_A_SENTENCE = (*ABOUT_STEP, Cause.NO_PLAN, Cause.FAULT, Cause.NO_ANSWER, Cause.OTHER)
EVIDENCE_NAMES: Mapping[BeliefSource, str] = MappingProxyType(
    {
        BeliefSource.MODEL: "seen",
        BeliefSource.SENSOR: "sensed",
        BeliefSource.ASSUMED: "assumed",
        BeliefSource.PREDICTED: "predicted",
        BeliefSource.INITIAL: "initial",
        BeliefSource.OPERATOR: "person",
    }
)
CONFIRMS = (BeliefSource.MODEL, BeliefSource.SENSOR, BeliefSource.OPERATOR)


@dataclass(frozen=True)
class Explanation:
    """A reason in words: the fact, where it comes from, and what it led to."""

    head: str
    origin: str = ""
    effect: str = ""
    level: str = ""
    quote: str = ""

    @property
    def lines(self) -> tuple[str, ...]:
        said = f"{self.origin}: {self.quote}" if self.quote else self.origin
        return tuple(filter(None, (said, self.effect)))

    @property
    def whole(self) -> str:
        """Return all of it in one line: the fact, who said it, the answer as given, and what it led to."""
        said = f"{self.sentence}: {self.quote}" if self.quote else self.sentence
        return "; ".join(filter(None, (said, self.effect)))

    @property
    def sentence(self) -> str:
        """Return fact and origin in one line, such as "the cabinet is closed (Q2, the model, turn 3)"."""
        return f"{self.head[:1].lower()}{self.head[1:]}" + (f" ({self.origin})" if self.origin else "")


def explain(
    reason: Reason, state: EpisodeState, vocabulary: Vocabulary, old_steps: tuple[Step, ...] = ()
) -> Explanation:
    """Return the reason in words. `old_steps` are the steps that a new plan replaces."""
    said, hoped = reason.answer, "" if reason.cause in IN_A_SENTENCE else reason.note.partition(": ")[2]
    match reason.cause:
        case Cause.FIRST_PLAN:
            return _beginning(state, vocabulary)
        case Cause.UNDONE if said is not None:
            now = vocabulary.describe_answer(replace(said, verdict=state.belief.verdict(said.atom)))
            taken = f"no longer counts: {vocabulary.describe_answer(said)}"
            return Explanation(reason.sentence, taken, f"so again: {now}")
        case Cause.UNDONE if state.suggestions and state.suggestions[-1].state is SuggestionState.UNDONE:
            return Explanation("You took a change of the domain back", "the domain is as before")
        case Cause.DOMAIN_CHANGED if in_force := changes_in_force(state, vocabulary):
            last = state.suggestions[-1]
            told = one_line(last.suggestion.situation.sentence)
            return Explanation("The domain changed", f"“{told}”" if told else "", "; ".join(in_force))
        case Cause.KEPT | Cause.UNCHANGED if reason.plan_cause is not None:
            inner = explain(replace(reason, cause=reason.plan_cause, plan_cause=None), state, vocabulary)
            link = "although" if reason.cause is Cause.KEPT else "because"
            lowered = f"{link} {inner.head[:1].lower()}{inner.head[1:]}"
            head = replace(reason, note="").sentence
            return Explanation(head, lowered, next(iter(inner.lines), ""), inner.level)
        case cause if said is not None:
            about_step = cause in ABOUT_STEP
            head = reason.sentence if about_step else capitalised(vocabulary.describe_answer(said))
            past = not about_step and said.verdict is not state.belief.verdict(said.atom)
            effect = "no longer believed" if past else broken(reason, state, vocabulary, old_steps) or hoped
            level = "" if said.source is BeliefSource.OPERATOR else "doubt"
            cards = (*state.cards, *state.earlier_cards)
            words = quote(said, cards, vocabulary)
            return Explanation(head, origin(said, cards), effect, level, words)
    if reason.literals:
        missing = vocabulary.describe_literal(reason.literals[0])
        effect = broken(reason, state, vocabulary, old_steps)
        return Explanation(f"Not believed: {missing}", effect=effect, level="doubt")
    head = reason.sentence
    return Explanation(head.removesuffix(f": {hoped}") if hoped else head, effect=hoped)


def changes_in_force(state: EpisodeState, vocabulary: Vocabulary) -> tuple[str, ...]:
    """Return in words what the last suggestion has changed for good, () if it was refused or taken back."""
    changes = [learnt.change for learnt in state.suggestions[-1].changes] if state.suggestions else []
    lasting = [change for change in changes if change.lasting]
    return tuple(change.describe(vocabulary.object_name) for change in lasting or changes)


def _beginning(state: EpisodeState, vocabulary: Vocabulary) -> Explanation:
    """Return why there is a first plan: the goal, and in a fork the answers that it was made with."""
    if state.started is None:
        return Explanation("The episode begins")
    goal = ", ".join(map(vocabulary.describe_literal, state.started.goal))
    goal = f"goal: {goal}" if goal else ""
    if not state.started.settings.get("parent"):
        return Explanation("The episode begins", goal)
    changed = _CHANGED.findall(state.started.settings.get("changed", ""))
    facts = (vocabulary.describe_literal(_written_atom(atom), so == "yes") for atom, so in changed)
    said = ", ".join(facts)
    return Explanation("Forked from a logged episode", f"you say: {said}" if said else "", goal)


def _written_atom(atom: str) -> Atom:
    name, *args = atom.strip("()").split() or [""]
    return Atom(name, tuple(args))


def origin(answer: Answer, cards: tuple[QuestionCard, ...]) -> str:
    """Return who said it or what sensed it, in which turn: "Q2, the model, turn 3"."""
    turn = f"turn {answer.turn}" if answer.turn else "before this episode"
    match answer.source:
        case BeliefSource.SENSOR:
            return f"sensed, {turn}"
        case BeliefSource.PREDICTED:
            return f"predicted, {turn}; nobody has seen it"
        case BeliefSource.ASSUMED:
            return "assumed; nobody has seen it"
        case BeliefSource.INITIAL:
            return "given at the start"
        case BeliefSource.OPERATOR:
            return f"you, {turn}"
    card = _card_of(answer, cards)
    return f"Q{card.number}, the model, {turn}" if card else f"the model, {turn}"


def quote(answer: Answer, cards: tuple[QuestionCard, ...], vocabulary: Vocabulary) -> str:
    """Return the answer as it was given, such as "no to “Is the cabinet open?”", "" if none was."""
    if answer.source not in (BeliefSource.MODEL, BeliefSource.OPERATOR):
        return ""
    card = _card_of(answer, cards)
    query = card.query if card else vocabulary.describe_query(answer.atom)
    if query is None:
        return ""
    said = f"{query.text_verdict(answer.verdict).value} to “{query.text}”"
    model = card.model if card and answer.source is BeliefSource.OPERATOR and not card.error else None
    if model is None or model.verdict in (answer.verdict, Verdict.UNKNOWN):
        return said
    return f"{said}; the model said {query.text_verdict(model.verdict).value}"


def _card_of(answer: Answer, cards: tuple[QuestionCard, ...]) -> QuestionCard | None:
    return next((c for c in cards if (c.query.atom, c.turn) == (answer.atom, answer.turn)), None)


def broken(reason: Reason, state: EpisodeState, vocabulary: Vocabulary, old_steps: tuple[Step, ...]) -> str:
    """Return what the missing facts mean for the last step, or else for the next one of the old plan."""
    missing = {literal.atom for literal in reason.literals}
    if not missing:
        return ""
    last, step = state.last_step.step if state.last_step else None, old_steps[0] if old_steps else None
    asked = {c.query.atom for c in state.cards if c.query.purpose is Purpose.EFFECT}
    needed = {literal.atom for literal in vocabulary.preconditions(step)} if step else set()
    if last is not None and (missing & (vocabulary.effects(last) | asked) or not missing & needed):
        return f"so “{vocabulary.describe_step(last)}” did not have its effect"
    return f"so “{vocabulary.describe_step(step)}” cannot be done" if step and missing & needed else ""


def unbelieved(belief: Belief, literals: Iterable[Literal]) -> list[Literal]:
    """Return the literals that the belief does not contain."""
    return [lit for lit in literals if (belief.verdict(lit.atom) is Verdict.YES) != lit.positive]


def evidence(belief: Belief, literals: Iterable[Literal]) -> str:
    """Return what is known about the literals by which means, such as "1 seen, 2 predicted"."""
    names = Counter(EVIDENCE_NAMES[belief.source(literal.atom)] for literal in literals)
    shown = ((name, names[name]) for name in EVIDENCE_NAMES.values() if names[name])
    return ", ".join(f"{n} {'set by a person' if name == 'person' else name}" for name, n in shown)


def is_confirmed(belief: Belief, literals: Iterable[Literal]) -> bool:
    """Return True if at least one of the literals was seen, sensed or set by a person."""
    return any(belief.source(literal.atom) in CONFIRMS for literal in literals)


def result_words(result: EpisodeResult | None, true_goal: bool | None = None, confirmed: bool = True) -> str:
    """Return how an episode ended, without claiming more than is known.

    `true_goal` is the simulator's verdict, None without one; `confirmed` whether anything of the goal was
    seen, sensed or set by a person; a `result` of None means that the episode is being recorded.
    """
    if result is None:
        return "being recorded"
    if result is not EpisodeResult.SUCCEEDED:
        return str(result.value)
    if true_goal is not None:
        return "goal reached" if true_goal else "false claim"
    return "goal believed" if confirmed else "goal believed, never confirmed"


def capitalised(words: str) -> str:
    """Return the text with a capital first letter."""
    return words[:1].upper() + words[1:]


def goal_evidence(state: EpisodeState) -> dict[str, int]:
    """Count the goal's literals by the source of the latest belief about each."""
    counts = dict.fromkeys(EVIDENCE_NAMES.values(), 0)
    for literal in state.started.goal if state.started else ():
        counts[EVIDENCE_NAMES[state.belief.source(literal.atom)]] += 1
    return counts
