"""A belief's hypotheses in words, and how likely the goal was in the course of an episode. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby

from app.presentation.likelihood import clamp_probability, fine_percent, goal_likelihood_text
from core.belief import Atom, Belief, BeliefSource, Hypothesis, Verdict
from core.episode_state import EpisodeState
from core.methods.careful.claim_line import claim_line
from core.methods.careful.options import CarefulOptions
from core.methods.careful.policy import Careful
from core.text.vocabulary import Vocabulary

MOST = 4  # hypotheses that are shown
LEAST = 0.01  # probability of one that is shown
PHRASES = 2  # differences shown of each; its tooltip has all
HOPELESS = 40.0  # steps that `careful` assumes where there is no plan
SAME = "otherwise the same"


@dataclass(frozen=True)
class HypothesisRow:
    """A hypothesis in words. `steps`: to the goal, as the method expects; None if unknown."""

    probability: float
    differences: tuple[str, ...]
    reached: bool = False  # the goal holds in it
    steps: float | None = None

    @property
    def brief(self) -> str:
        return ", ".join(self.differences[:PHRASES]) or SAME

    @property
    def cost(self) -> str:
        """Return what remains to be done in it."""
        if self.reached:
            return "goal reached"
        if self.steps is None:
            return ""
        return "no way to the goal" if self.steps >= HOPELESS else f"{self.steps:.1f} steps to go"


def hypothesis_rows(state: EpisodeState, vocabulary: Vocabulary) -> tuple[HypothesisRow, ...]:
    """Return the likeliest hypotheses, likeliest first; () where the method keeps no hypotheses.

    The first says what the second denies, every other one what is different in it; where that would read as
    an earlier one does, also what is different from that one.
    """
    belief = state.belief
    shown = [h for h in belief.hypotheses[:MOST] if h.probability >= LEAST] or list(belief.hypotheses[:1])
    if not shown:
        return ()
    first = shown[0]
    found, by_words = [], dict[tuple[str, ...], Hypothesis]()
    for hypothesis in shown:
        other = shown[1] if hypothesis is first and len(shown) > 1 else first
        changed = set(hypothesis.flipped) ^ set(other.flipped)
        facts = belief.state ^ frozenset(hypothesis.flipped)
        words = _phrases(changed, facts, state, vocabulary)
        alike = by_words.setdefault(words[:PHRASES], hypothesis)
        if alike is not hypothesis:
            more = _phrases(set(hypothesis.flipped) ^ set(alike.flipped), facts, state, vocabulary)
            words = tuple(dict.fromkeys((*words[:1], *more, *words[1:])))
        steps = hypothesis.notes.get("steps")
        found.append(HypothesisRow(hypothesis.probability, words, state.is_goal(facts), steps))
    return tuple(found)


def _phrases(
    changed: set[Atom], facts: frozenset[Atom], state: EpisodeState, vocabulary: Vocabulary
) -> tuple[str, ...]:
    """Return what is so of these atoms: what the goal needs first, then what is rather than what is not."""
    goal = {(g.predicate, g.args) for g in state.started.goal} if state.started else set()
    spoken = {a for a in changed if vocabulary.has_statement(a.predicate)} or changed
    found: dict[tuple[str, ...], str] = {}  # one for the same things: on the floor, on top of the floor
    for atom in sorted(spoken, key=lambda a: (a not in goal, a not in facts, -len(a.args), a)):
        found.setdefault(atom.args, _phrase(atom, atom in facts, state.belief, vocabulary))
    return tuple(found.values())


def _phrase(atom: Atom, so: bool, belief: Belief, vocabulary: Vocabulary) -> str:
    """Return a fact in words; what the last step was to change and did not is "still" so."""
    words, entry = vocabulary.describe_literal(atom, so), belief.entry(atom)
    expected = entry.source is BeliefSource.PREDICTED and entry.verdict is not Verdict.from_bool(so)
    return words.replace(" is ", " is still ", 1) if expected else words


@dataclass(frozen=True)
class GoalProbabilitySeries:
    """`points` are (turn, probability), oldest first; `line` is where the method claims, None if unknown."""

    points: tuple[tuple[float, float], ...]
    line: float | None = None

    @property
    def now(self) -> float:
        return self.points[-1][1]

    @property
    def text(self) -> str:
        return goal_likelihood_text(self.now)

    @property
    def figure(self) -> str:
        return fine_percent(self.now)


def goal_probability_series(state: EpisodeState) -> GoalProbabilitySeries | None:
    """Return the curve, None where the method does not say how likely the goal is.

    Several points of a turn stand side by side, so that a question's effect shows.
    """
    found = state.goal_probabilities
    if not found:
        return None
    points: list[tuple[float, float]] = []
    for turn, told in groupby(found, lambda point: point.turn):
        shares = [clamp_probability(point.probability) for point in told]
        points += [(turn + i / len(shares), share) for i, share in enumerate(shares)]
    return GoalProbabilitySeries(tuple(points), _claim_line(state))


def _claim_line(state: EpisodeState) -> float | None:
    settings = state.started.settings if state.started else {}
    if settings.get("method") != Careful.name:
        return None
    values = {n.removeprefix("method."): v for n, v in settings.items() if n.startswith("method.")}
    try:
        return claim_line(CarefulOptions.model_validate(values))
    except ValueError:  # a log of another version
        return None
