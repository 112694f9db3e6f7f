"""Questions, answers and the resulting beliefs, as pure values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cached_property
from types import MappingProxyType
from typing import NamedTuple


class Verdict(Enum):
    """Three values. UNKNOWN is not NO, so a Verdict has no truth value of its own."""

    YES = "yes"
    NO = "no"
    UNKNOWN = "unknown"

    def __bool__(self) -> bool:
        raise TypeError("a Verdict has three values; compare it with `is`")

    @property
    def opposite(self) -> Verdict:
        """Return YES for NO, NO for YES, and UNKNOWN for UNKNOWN."""
        return _OPPOSITE[self]

    @staticmethod
    def from_bool(truth: bool) -> Verdict:
        return Verdict.YES if truth else Verdict.NO


_OPPOSITE = {Verdict.YES: Verdict.NO, Verdict.NO: Verdict.YES, Verdict.UNKNOWN: Verdict.UNKNOWN}


class BeliefSource(Enum):
    """Where a belief comes from."""

    INITIAL = "given"  # the problem file; what is not in `:init` is INITIAL NO
    PREDICTED = "predicted"  # an effect of a step that was not observed yet
    MODEL = "model"  # an answerer looking at a frame
    SENSOR = "sensor"  # a non-vision sense of the robot
    OPERATOR = "operator"  # a person
    ASSUMED = "assumed"  # a default rule of the domain, never asked


class Atom(NamedTuple):
    """A ground fact, such as `(inside mug cabinet)`. A plain tuple, because states are large sets of them."""

    predicate: str
    args: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"({' '.join((self.predicate, *self.args))})"


class Purpose(Enum):
    """Why a question is asked."""

    EFFECT = "effect"  # of the step just done
    PRECONDITION = "precondition"  # of the next step
    UNCERTAIN = "doubt"  # affected by a halted step, or doubted by a person
    CHECK = "check"  # asked by a person or by another method


class QueryTopic(Enum):
    """What a question is about.

    A question about a step or a situation has a proposition in place of a fact: `(worked open agent
    cabinet)`, `(possible open agent cabinet)`. That is no fact of the domain, and no belief contains it.
    """

    FACT = "fact"
    STEP_SUCCEEDED = "worked"  # was the step just done successful?
    STEP_POSSIBLE = "possible"  # can the step be done now?
    SITUATION = "situation"  # is it so, or what may be done then? Asked of a person


@dataclass(frozen=True)
class Query:
    """A question about one atom. With `negated` the text asks whether the atom does NOT hold."""

    atom: Atom
    text: str
    negated: bool = False
    purpose: Purpose = Purpose.CHECK
    expected: Verdict = Verdict.UNKNOWN  # of the atom, not of the text
    topic: QueryTopic = QueryTopic.FACT
    worth: float | None = None  # steps of the robot that the exact answer saves, where a method knows
    decides: str = ""  # what would be done after yes and after no, in words

    def text_verdict(self, verdict: Verdict) -> Verdict:
        """Return the verdict about the question's text that corresponds to a verdict about the atom."""
        return verdict.opposite if self.negated else verdict

    def atom_verdict(self, reply: Verdict) -> Verdict:
        """Return the verdict about the atom that corresponds to a reply to the question's text."""
        return reply.opposite if self.negated else reply


@dataclass(frozen=True)
class Answer:
    """An answer about an atom. `verdict` is about the atom; `raw_reply` is always kept."""

    atom: Atom
    verdict: Verdict
    source: BeliefSource
    raw_reply: str = ""
    turn: int = 0
    frame: str = ""  # id of the frame it is about, "" for none
    by: str = ""  # the model's or the person's name
    confidence: float | None = None  # 0..1, calibrated or None
    seconds: float = 0.0

    @property
    def is_unasked(self) -> bool:
        """Return True if no model was asked, since the question is a person's: this is nobody's answer."""
        return self.verdict is Verdict.UNKNOWN and not self.by and not self.raw_reply


def is_override(counted: Answer, model: Answer) -> bool:
    """Return True if a person's answer counted in place of a model's different one."""
    return counted.source is BeliefSource.OPERATOR and counted.verdict is not model.verdict


@dataclass(frozen=True)
class BeliefEntry:
    """What is believed about one atom, from which source, and since which turn."""

    atom: Atom
    verdict: Verdict
    source: BeliefSource
    since: int = 0
    evidence: Answer | None = None
    probability: float | None = None  # if the method computes one; not an answer's confidence
    last_unknown_turn: int | None = None  # the turn of a later UNKNOWN that kept this value
    uncertain: bool = False  # affected by a halted step, so it is asked again


@dataclass(frozen=True)
class Contradiction:
    """Atoms that cannot all hold, or an answer against an expectation, described in a few words."""

    atoms: tuple[Atom, ...]
    reason: str


@dataclass(frozen=True)
class Hypothesis:
    """One possible state of the world, for methods that keep several: the belief's state except `flipped`.

    `notes` are the method's own numbers about it (such as the probability of a persistent error), written to
    the log and read back unchanged.
    """

    probability: float  # 0..1
    flipped: tuple[Atom, ...] = ()  # sorted; atoms whose value differs from the belief's state
    notes: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}), hash=False)


@dataclass(frozen=True)
class Belief:
    """What is believed about every atom. Immutable.

    Read it through `verdict`, `probability`, `source` and `since`; how it is stored is up to the method.
    `hypotheses`, most likely first, are kept by methods that track whole states.
    """

    entries: Mapping[Atom, BeliefEntry] = field(default_factory=lambda: MappingProxyType({}))
    hypotheses: tuple[Hypothesis, ...] = ()

    @staticmethod
    def from_init(state: Iterable[Atom]) -> Belief:
        """Return the belief of a problem file; an atom that it does not list is NO, with source INITIAL."""
        return Belief(
            MappingProxyType({a: BeliefEntry(a, Verdict.YES, BeliefSource.INITIAL) for a in sorted(state)})
        )

    def entry(self, atom: Atom) -> BeliefEntry:
        return self.entries.get(atom) or BeliefEntry(atom, Verdict.NO, BeliefSource.INITIAL)

    def verdict(self, atom: Atom) -> Verdict:
        return self.entry(atom).verdict

    def probability(self, atom: Atom) -> float | None:
        return self.entry(atom).probability

    def source(self, atom: Atom) -> BeliefSource:
        return self.entry(atom).source

    def since(self, atom: Atom) -> int:
        return self.entry(atom).since

    def __iter__(self) -> Iterator[BeliefEntry]:
        return iter(self.entries.values())

    @cached_property
    def state(self) -> frozenset[Atom]:
        """Return the atoms believed YES."""
        return frozenset(e.atom for e in self.entries.values() if e.verdict is Verdict.YES)

    def probability_that(self, holds: Callable[[frozenset[Atom]], bool]) -> float | None:
        """Return how likely a state is of which `holds` is true; None without hypotheses."""
        if not self.hypotheses:
            return None
        return sum(h.probability for h in self.hypotheses if holds(self.state ^ frozenset(h.flipped)))

    @property
    def uncertain_atoms(self) -> tuple[Atom, ...]:
        return tuple(sorted(e.atom for e in self if e.uncertain))

    def with_entries(self, entries: Iterable[BeliefEntry]) -> Belief:
        """Return this belief with these entries replaced or added."""
        table = dict(self.entries)
        table.update((entry.atom, entry) for entry in entries)
        return Belief(MappingProxyType(table), self.hypotheses)

    def updated_with(self, answers: Iterable[Answer]) -> Belief:
        """Return the belief after these answers.

        UNKNOWN keeps the old value (the paper's "skip", section 3.3). A person's answer takes precedence over
        a model's from the same turn.
        """
        new: dict[Atom, BeliefEntry] = {}
        for answer in answers:
            old = new.get(answer.atom) or self.entry(answer.atom)
            if (
                answer.source is BeliefSource.MODEL
                and old.source is BeliefSource.OPERATOR
                and old.since == answer.turn
            ):
                continue
            if answer.verdict is Verdict.UNKNOWN:
                new[answer.atom] = replace(old, last_unknown_turn=answer.turn)
            else:
                new[answer.atom] = BeliefEntry(
                    answer.atom, answer.verdict, answer.source, answer.turn, answer
                )
        return self.with_entries(new.values()) if new else self

    def changes_since(self, older: Belief) -> tuple[BeliefEntry, ...]:
        """Return the entries that turn `older` into this belief, sorted by atom."""
        if self.entries is older.entries:
            return ()
        gone = [
            BeliefEntry(a, Verdict.NO, BeliefSource.INITIAL)
            for a in older.entries.keys() - self.entries.keys()
        ]
        old = older.entries.get
        new = [e for a, e in self.entries.items() if (o := old(a)) is not e and o != e]
        return tuple(sorted((*new, *gone), key=lambda e: e.atom))
