"""Tell the hypotheses of a belief as stories: what each says differently from the likeliest. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from core.belief import Atom, Belief, BeliefSource, Verdict
from core.episode_state import EpisodeState
from core.text.vocabulary import Vocabulary

MOST = 4  # stories that are told
LEAST = 0.01  # probability of a story that is told
PHRASES = 2  # differences that are told of one; its tooltip has all
HOPELESS = 40.0  # steps with which `careful` reckons where there is no plan
SAME = "otherwise the same"


@dataclass(frozen=True)
class Story:
    """One state of the world that may be so. `steps`: to the goal, as the method expects; None if unknown."""

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


def stories(state: EpisodeState, vocabulary: Vocabulary) -> tuple[Story, ...]:
    """Return the likeliest stories, likeliest first; () where the method keeps no hypotheses.

    The first says what the second denies, every other one what is different in it.
    """
    belief = state.belief
    told = [h for h in belief.hypotheses[:MOST] if h.probability >= LEAST] or list(belief.hypotheses[:1])
    if not told:
        return ()
    first = told[0]
    found = []
    for hypothesis in told:
        other = told[1] if hypothesis is first and len(told) > 1 else first
        changed = set(hypothesis.flipped) ^ set(other.flipped)
        facts = belief.state ^ frozenset(hypothesis.flipped)
        words = _phrases(changed, facts, state, vocabulary)
        found.append(
            Story(hypothesis.probability, words, state.is_goal(facts), hypothesis.notes.get("steps"))
        )
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
