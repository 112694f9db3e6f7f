"""What a model has answered in an episode so far, and how often it answers at all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from core.belief import Atom, BeliefSource, Verdict
from core.methods.careful.hypotheses import Joint
from core.methods.careful.untold import Kind
from core.methods.careful.world_model import WorldModel
from core.operator import Addressee
from core.policy import GotAnswers, GotPicture, Observation, StepDone, StepHalted

SUPPOSED, ANSWERED = 4, 0.95  # before any question: as if so many had been answered at this rate
GIVEN_UP_AFTER = 4  # questions without an answer; then there is no other

Said = Mapping[str, bool]  # what was answered about one atom, by the viewpoint of the picture
Earlier = Mapping[Atom, Said]
History = tuple[Observation, ...]


@dataclass(frozen=True)
class AnswerRates:
    """How many questions were answered with yes or no, of how many."""

    by_predicate: Mapping[str, tuple[int, int]] = field(default_factory=dict)

    @cached_property
    def answered(self) -> int:
        return sum([answered for answered, _ in self.by_predicate.values()])

    @cached_property
    def asked(self) -> int:
        return sum([asked for _, asked in self.by_predicate.values()])

    @property
    def silent(self) -> bool:
        """Return True if nothing was ever answered, although enough was asked."""
        return self.asked >= GIVEN_UP_AFTER and not self.answered

    def expected(self, predicate: str) -> float:
        """Return how likely the next question about this predicate is answered."""
        answered, asked = self.by_predicate.get(predicate, (0, 0))
        if self.silent or (asked >= GIVEN_UP_AFTER and not answered):
            return 0.0
        overall = (self.answered + ANSWERED * SUPPOSED) / (self.asked + SUPPOSED)
        return (answered + overall * SUPPOSED) / (asked + SUPPOSED)


@dataclass(frozen=True)
class Answered:
    """The answers of a history: `earlier` since a step may last have changed the atom, by view, and the
    `last` about each, whatever has changed since.
    """

    history: History = ()
    view: str = ""
    earlier: Earlier = field(default_factory=dict)
    last: Mapping[Atom, bool] = field(default_factory=dict)
    rates: AnswerRates = field(default_factory=AnswerRates)


def answered(history: History, world: WorldModel, known: Answered) -> Answered:
    """Return the answers of a history; those of its beginning may be known."""
    count = len(known.history)
    if count and not (
        count <= len(history) and history[0] is known.history[0] and history[count - 1] is known.history[-1]
    ):
        known, count = Answered(), 0
    view, earlier = known.view, {atom: dict(said) for atom, said in known.earlier.items()}
    last, counts = dict(known.last), dict(known.rates.by_predicate)
    for seen in history[count:]:
        match seen:
            case GotPicture():
                view = seen.viewpoint
            case GotAnswers():
                for answer in seen.facts:
                    if answer.source is BeliefSource.MODEL and answer.verdict is not Verdict.UNKNOWN:
                        last[answer.atom] = answer.verdict is Verdict.YES
                        earlier.setdefault(answer.atom, {})[view] = last[answer.atom]
                for answer in seen.answers if seen.addressee is Addressee.MODEL else ():
                    if not answer.is_unasked:
                        yes_or_no, asked = counts.get(answer.atom.predicate, (0, 0))
                        yes_or_no += answer.verdict is not Verdict.UNKNOWN
                        counts[answer.atom.predicate] = yes_or_no, asked + 1
            case StepDone(step) | StepHalted(step):
                for atom in earlier.keys() & world.touched(step) if earlier else ():
                    del earlier[atom]
    return Answered(history, view, earlier, last, AnswerRates(counts))


def still_told(earlier: Earlier, world: WorldModel, joint: Joint) -> Earlier:
    """Return the earlier answers without those that most hypotheses against them explain by a side effect
    since: the next answer does not repeat what was right then.
    """
    return {atom: said for atom, said in earlier.items() if not _outdated(atom, said, world, joint)}


def _outdated(atom: Atom, said: Said, world: WorldModel, joint: Joint) -> bool:
    (*_, latest), bit = said.values(), world.bits.bit(atom)
    sums = {True: [0.0, 0.0], False: [0.0, 0.0]}
    for state, part in joint.items():
        happened = sum([n.happened for kind, n in part.untold.items() if _changes(kind, atom.predicate)])
        found, total = sums[bool(world.masks[state] & bit) is latest], part.total
        found[0], found[1] = found[0] + total, found[1] + total * happened
    (agree, before), (against, changed) = sums[True], sums[False]
    return against > 0 < agree and changed / against - before / agree > 0.5


def _changes(kind: Kind, predicate: str) -> bool:
    return kind.predicate == predicate and kind.ends is not None
