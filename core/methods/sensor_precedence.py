"""Let sensor readings outrank a model's answers, and a person's word outrank both.

A reading contradicts an answer if it differs about the same atom, if it affirms an atom that excludes the
answer's, or if no atom would be left of a group of which one always holds (`exhaustive` in domain.toml).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from core.belief import Answer, Atom, Belief, BeliefSource, Contradiction, Verdict
from core.domains import DomainSpec
from core.planning.default_rules import RuleSet
from core.policy import Context, GotSenses

Readings = Mapping[Atom, Answer]


class SensorPrecedence:
    """The precedence of sensors in one problem's domain. Pure."""

    def __init__(self, domain_spec: DomainSpec, rules: RuleSet) -> None:
        self._domain_spec, self._rules = domain_spec, rules

    def resolve(self, context: Context, answers: Sequence[Answer]) -> tuple[Answer, ...]:
        """Return the answers, with each model's answer that a reading contradicts replaced by the reading."""
        found = self._contradicted(context, answers)
        return tuple(found.get(number, answer) for number, answer in enumerate(answers))

    def contradictions(self, context: Context, answers: Sequence[Answer]) -> tuple[Contradiction, ...]:
        """Return where model and sensor differ, also of predicates where the folder lets the model say."""
        return tuple(
            Contradiction((answer.atom,), answer.raw_reply)
            for answer in self._contradicted(context, answers, self._domain_spec.predicate_specs).values()
        )

    def _contradicted(
        self, context: Context, answers: Sequence[Answer], besides: Iterable[str] = ()
    ) -> dict[int, Answer]:
        """Return the sensor's answers by the index of the answers that they replace.

        `besides` are predicates that are compared although the folder lets the model decide.
        """
        readings = sensor_readings(context)
        if not readings:
            return {}
        judged = {
            number: answer
            for number, answer in enumerate(answers)
            if answer.source is BeliefSource.MODEL
            and answer.verdict is not Verdict.UNKNOWN
            and (self._domain_spec.sense_outranks(answer.atom.predicate) or answer.atom.predicate in besides)
            and context.belief.source(answer.atom) is not BeliefSource.OPERATOR
        }
        held = frozenset(atom for atom, reading in readings.items() if reading.verdict is Verdict.YES)
        found = {
            number: sensed
            for number, answer in judged.items()
            if (sensed := self._read_otherwise(answer, readings, held)) is not None
        }
        after = context.belief.updated_with(found.get(n, a) for n, a in enumerate(answers))
        for number, answer in judged.items():
            if number not in found and (sensed := self._one_left(context.belief, after, answer, readings)):
                found[number] = sensed
        return found

    def _read_otherwise(self, answer: Answer, readings: Readings, held: frozenset[Atom]) -> Answer | None:
        reading = readings.get(answer.atom)
        if reading is not None:
            return _sensed(answer, reading) if reading.verdict is not answer.verdict else None
        if answer.verdict is Verdict.YES and (other := self._rules.excluder(answer.atom, held)) is not None:
            return _sensed(answer, readings[other])
        return None

    def _one_left(self, before: Belief, after: Belief, answer: Answer, readings: Readings) -> Answer | None:
        """Return the sensor's answer where an atom must stay: the model denies it, but nothing else of its
        exhaustive group is believed, and the sensor denies one of the others.
        """
        if answer.verdict is not Verdict.NO or before.verdict(answer.atom) is not Verdict.YES:
            return None
        denied = {atom for atom, reading in readings.items() if reading.verdict is Verdict.NO}
        other = self._rules.last_resort(answer.atom, after.state, denied)
        return _sensed(answer, readings[other]) if other is not None else None


def sensor_readings(context: Context) -> Readings:
    """Return this turn's readings, without those that a person has overruled since they last changed."""
    return {
        answer.atom: answer
        for seen in context.this_turn()
        if isinstance(seen, GotSenses)
        for answer in seen.answers
        if answer.verdict is not Verdict.UNKNOWN and not _overruled(context.belief, answer)
    }


def news(context: Context, readings: Iterable[Answer]) -> tuple[Answer, ...]:
    """Return the readings that count: a person's override stands until the sensor reads something new."""
    before = next((s for s in reversed(context.history) if isinstance(s, GotSenses)), None)
    last = {a.atom: a.verdict for a in before.answers} if before else {}
    return tuple(
        reading
        for reading in readings
        if not _overruled(context.belief, reading) or last.get(reading.atom) is not reading.verdict
    )


def _overruled(belief: Belief, reading: Answer) -> bool:
    held = belief.entry(reading.atom)
    return held.source is BeliefSource.OPERATOR and held.verdict is not reading.verdict


def _sensed(answer: Answer, reading: Answer) -> Answer:
    """Return the answer that the reading gives about the answer's atom."""
    verdict = answer.verdict.opposite
    so = f"{reading.atom} is sensed {reading.verdict.value}"
    return replace(
        answer, verdict=verdict, source=BeliefSource.SENSOR, raw_reply=so, by=reading.by, confidence=None
    )
