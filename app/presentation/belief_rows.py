"""Compute the rows of the belief panel from the episode state. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from app.presentation.formatting import answerer_name, pending_cards, rows_ahead, verdict_change
from app.presentation.likelihood import is_doubtful, verdict_probability
from app.theme.states import SOURCE
from core.belief import Atom, BeliefSource, QueryTopic, Verdict
from core.episode_state import EpisodeState
from core.text.vocabulary import Vocabulary

NOTHING: Mapping[Atom, Verdict] = MappingProxyType({})


@dataclass(frozen=True)
class BeliefRow:
    """The row of one atom. With `level` "doubt" it is sorted to the top; `note` is its second line."""

    atom: Atom
    words: str  # what the verdict is about, such as "cup is in the kitchen"
    verdict: Verdict
    source: BeliefSource
    since: float  # state time at which the entry last changed
    note: str = ""
    level: str = ""
    icon: str = ""
    needed: bool = False
    probability: float | None = None

    @property
    def sure(self) -> float | None:
        """Return the probability of the verdict, None if the method does not say."""
        return verdict_probability(self.verdict, self.probability)

    @property
    def doubtful(self) -> bool:
        return bool(self.level) or is_doubtful(self.probability)

    @property
    def text(self) -> str:
        """Return the text that a filter searches."""
        ids = " ".join((self.atom.predicate, *self.atom.args))
        return f"{self.words} {self.verdict.value} {SOURCE[self.source].word} {ids}"


def belief_rows(
    state: EpisodeState,
    vocabulary: Vocabulary,
    needs: frozenset[Atom],
    draft: Mapping[Atom, Verdict] = NOTHING,
    more: Iterable[Atom] = (),
) -> tuple[BeliefRow, ...]:
    """Return the rows: first contradictions, then doubts and pending answers, then the latest changes.

    `needs` are the atoms that the next step requires, `draft` the person's verdicts that are not yet
    submitted, `more` atoms that were not mentioned yet.
    """
    against = {atom: c.reason for c in state.contradictions for atom in c.atoms}
    asked = (c for c in pending_cards(state) if c.query.topic is not QueryTopic.SITUATION)
    waiting = {c.query.atom: c for c in asked}
    made = []
    atoms = {e.atom for e in state.belief} | set(waiting) | set(against) | set(more)
    for atom in atoms:
        entry = state.belief.entry(atom)
        note, level, icon = "", "", ""
        if atom in against:
            note, level, icon = _contradiction(against[atom]), "doubt", "diamond"
        elif atom in waiting and atom in draft:
            note, icon = f"pending: you say {draft[atom].value}", "person"
        elif atom in waiting and waiting[atom].error:
            note, icon = "pending: no answer from the model", "fault"
        elif atom in waiting and (model := waiting[atom].model) is not None:
            note = f"pending: {answerer_name(model.by) or 'the model'} says {model.verdict.value}"
            note, icon = "pending: you are asked, no model" if model.is_unasked else note, "clock"
        elif entry.uncertain:
            note, level, icon = "uncertain: a halted step affects it", "doubt", "diamond"
        elif entry.last_unknown_turn is not None:
            note, icon = "unknown: old value kept", "undo"
        words, since = vocabulary.describe_atom(atom), state.changed_at.get(atom, 0.0)
        said = (note, level, icon, atom in needs, entry.probability)
        made.append(BeliefRow(atom, words, entry.verdict, entry.source, since, *said))
    return tuple(sorted(made, key=_rank))


def _rank(row: BeliefRow) -> tuple[int, bool, bool, float, str, tuple[str, ...]]:
    quiet = row.source in (BeliefSource.INITIAL, BeliefSource.ASSUMED)
    absent = row.source is BeliefSource.SENSOR and row.verdict is Verdict.NO
    kinds = (row.level, row.icon in ("clock", "person"), row.doubtful, row.note, row.needed, True)
    first = next(i for i, kind in enumerate(kinds) if kind)
    return (first, absent, quiet, -round(row.since, 1), row.words, row.atom.args)


def _contradiction(reason: str) -> str:
    change = verdict_change(reason)
    return f"expected {change[0]}, answered {change[1]}" if change else f"contradiction: {reason}"


def next_needs(state: EpisodeState, vocabulary: Vocabulary) -> frozenset[Atom]:
    """Return the atoms in the preconditions of the next step."""
    lines = rows_ahead(state)
    step = state.acting or (lines[0].step if lines else None)
    return frozenset(literal.atom for literal in (vocabulary.preconditions(step) if step else ()))
