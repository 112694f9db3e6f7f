"""A person's verdicts until they are submitted, and what an answer would count for and change. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from app.presentation.asked import is_correctable
from app.presentation.formatting import rows_ahead
from core.belief import Answer, Atom, BeliefSource, Verdict
from core.episode_state import EpisodeState, Phase, QuestionCard
from core.planning_model import Problem, Step
from core.policy import BeliefCorrected, Context, Policy
from core.text.vocabulary import Vocabulary


class Draft:
    """The verdicts by atom, in the order in which they were given."""

    def __init__(self) -> None:
        self.verdicts: dict[Atom, Verdict] = {}
        self._words: dict[Atom, str] = {}  # whose words a verdict was taken from

    def set(self, atom: Atom, verdict: Verdict, words: str = "") -> None:
        """Set a verdict about an atom. `words` names the model that it was taken from, if any."""
        self.verdicts[atom] = verdict
        self._words[atom] = words

    def undo(self) -> bool:
        """Undo the last verdict. Return False if there is none."""
        if not self.verdicts:
            return False
        self._words.pop(self.verdicts.popitem()[0])
        return True

    def clear(self) -> None:
        self.verdicts.clear()
        self._words.clear()

    def answers(self, cards: Iterable[QuestionCard], by: str) -> tuple[Answer, ...]:
        """Return the answers that count if submitted now, in the order of the cards."""
        return tuple(self._answer(card, card.model, by) for card in cards if card.model is not None)

    def _answer(self, card: QuestionCard, model: Answer, by: str) -> Answer:
        verdict = self.verdicts.get(card.query.atom)
        return model if verdict is None else operator_answer(card, verdict, by, self._words[card.query.atom])


def operator_answer(card: QuestionCard, verdict: Verdict, by: str, words: str = "", turn: int = 0) -> Answer:
    """Return a person's answer to a card's question, in words of their own or those of the question.

    `turn` is when it was given, by default the card's.
    """
    said = words or card.query.text_verdict(verdict).value
    return Answer(card.query.atom, verdict, BeliefSource.OPERATOR, said, turn or card.turn, card.frame, by)


Answers = tuple[Answer, ...]
EffectPreview = Callable[[Answers], str]  # what these answers would do


def if_answered(
    card: QuestionCard | None, verdict: Verdict, state: EpisodeState, answers: Answers, by: str
) -> Answers:
    """Return what would count of `answers` with this verdict about the question's text; () if it cannot be
    given.
    """
    if card is None or card.model is None or not state.is_running or not is_correctable(card, state):
        return ()
    mine = operator_answer(card, card.query.atom_verdict(verdict), by, turn=state.turn)
    return (*(a for a in answers if a.atom != mine.atom), mine)


def other_answer(
    card: QuestionCard | None, state: EpisodeState, answers: Answers, by: str, preview: EffectPreview
) -> str:
    """Return what it would change to disagree with what counts now, and by which key; "" if nothing.

    What nobody can tell is contradicted by what was expected.
    """
    if card is None or card.model is None:
        return ""
    atom, drafted = card.query.atom, (a.verdict for a in answers if a.atom == card.query.atom)
    counts = next(drafted, card.model.verdict) if card.pending else state.belief.verdict(atom)
    other = card.query.text_verdict(counts.opposite if counts is not Verdict.UNKNOWN else card.query.expected)
    key = {Verdict.YES: "Y", Verdict.NO: "N"}.get(other)
    would_count = if_answered(card, other, state, answers, by)
    effect = preview(would_count) if key and would_count else ""
    now = preview(if_answered(card, card.query.text_verdict(counts), state, answers, by)) if effect else ""
    if effect and effect == now and "cannot be done" in effect:
        return f"{key}: it plans again either way"
    return f"{key}: {effect}" if effect else ""


def effect_preview(
    method: Policy, problem: Problem, state: EpisodeState, answers: tuple[Answer, ...], vocabulary: Vocabulary
) -> str:
    """Return the prediction in a few words, "" if there is none. No planner runs."""
    from core.planning import semantics

    context = Context(problem, state.belief, state.turn)
    belief = method.update(context, BeliefCorrected(answers))
    if problem.is_goal(belief.state):
        return "then the goal is believed"
    plan = tuple(line.step for line in rows_ahead(state))
    if not plan:
        return "then it plans again"
    facts = semantics.apply(problem, belief.state, state.acting) if state.acting else belief.state
    problem = problem.with_state(facts)
    stuck = _first_inapplicable(problem, plan)
    if stuck is not None:
        later = "" if stuck is plan[0] else " later"
        return f"then “{vocabulary.describe_step(stuck)}” cannot be done{later}"
    if semantics.plan_faults(problem, plan):
        return "then the plan no longer reaches the goal"
    offered = state.phase is Phase.OFFERED
    return f"then plan {state.plan_count} holds again" if offered else "then the plan still holds"


def _first_inapplicable(problem: Problem, plan: tuple[Step, ...]) -> Step | None:
    """Return the first step that would not be applicable if every earlier one had its nominal effects."""
    from core.planning import semantics

    state = problem.state
    for step in plan:
        if semantics.inapplicable_reasons(problem, state, step):
            return step
        state = semantics.apply(problem, state, step)
    return None
