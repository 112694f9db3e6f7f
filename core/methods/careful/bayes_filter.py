"""The Bayes filter over whole states (Thrun, Burgard and Fox, Probabilistic Robotics, 2005, section 2.4).

Predict with the outcome model; condition on answers with their error rates, on sensors and people exactly,
and on what the robot reports of a step as far as it feels it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import count

from core.belief import Answer, Atom, Verdict
from core.methods.careful.error_model import Asked, ErrorModel
from core.methods.careful.heard import Heard, heard
from core.methods.careful.hypotheses import Joint, Part, Weights, merged, normalized, normalized_joint
from core.methods.careful.learnt_rates import NO_EFFECT, NOT_POSSIBLE, events, meaning, reason_words
from core.methods.careful.rate_doubt import WAYS_CHANGE
from core.methods.careful.untold import Kind, counted, share
from core.methods.careful.world_model import WorldModel
from core.planning.default_rules import RuleSet
from core.planning.remembered import Table, remembered
from core.planning_model import Step
from core.ports import StepResult, StepStatus

# How likely a person's answer shows that, where a hypothesis disagrees, only this fact is wrong in it.
MENDED = 0.02
UNLIKELY = 0.002  # of the belief: that a fact of the goal is other than all hypotheses have it
MISHEARD = 0.02  # how far the words of a FAILED fit what did not happen
LEAST_CASE = 1e-3  # probability of a reading and report that is reckoned with
AGREEING = 1e-6  # of the belief; with less, an exact answer shows that the model was wrong about the world
# P(the robot reports FAILED): of what it feels, of what it does not feel, of a step that worked
FELT, MISSED, FALSE_ALARM = 0.95, 0.05, 0.02
# The same of a step that was not possible: some robots notice, others do what they can. The next time it is
# the same step, they mostly report the same. Then the same of a step in which the robot feels everything.
REFUSED = {None: 0.5, StepStatus.FAILED: 0.75, StepStatus.DONE: 0.2}
REFUSED_AND_FELT = {None: 0.9, StepStatus.FAILED: 0.95, StepStatus.DONE: 0.5}


# A state after a step, what the sensors then read, and how likely it is that the robot then reports that all
# went well, or that the step failed.
Outcome = tuple[int, int, float, float]


class BayesFilter:
    """Pure. `most` is how many hypotheses are kept; `counting`: for later episodes."""

    def __init__(
        self, world: WorldModel, errors: ErrorModel, most: int, reports: bool, counting: bool = False
    ) -> None:
        self.world, self.errors, self.counting = world, errors, counting
        self._most, self._reports = most, reports
        self._rules = RuleSet(world.domain_spec, world.problem)
        self._learnt = 0  # with how many changes of the world's probabilities the tables below were made
        self._outcomes: Table[Step, Table[int, list[Outcome]]] = Table(
            lambda step: Table(lambda state: self._outcomes_from(state, step))
        )
        self._shares = Table(self._share)
        self._kinds: dict[int, Mapping[Kind, bool]] = {}  # of side effects that happen together, or not
        self._kind_numbers: dict[tuple[tuple[Kind, bool], ...], int] = {}
        self._numbers = count()

    def outcomes(self, step: Step) -> Table[int, list[Outcome]]:
        """Return the states to which a step may lead, each once, by the state before it."""
        if self._learnt != self.world.learnt:
            self._learnt = self.world.learnt
            self._outcomes.clear()
            self._shares.clear()
        return self._outcomes[step]

    def _outcomes_from(self, state: int, step: Step) -> list[Outcome]:
        found, shares = list[Outcome](), self._shares
        for after, reading, ways in self._ways(state, step):
            done = failed = 0.0
            for kinds, so, not_so in ways:
                done += shares[kinds] * so
                failed += shares[kinds] * not_so
            found.append((after, reading, done, failed))
        return found

    @remembered
    def _ways(self, state: int, step: Step) -> list[tuple[int, int, list[tuple[int, float, float]]]]:
        """Return the states after a step with what the sensors read, and the ways to each: the number of the
        side effects, and how likely DONE and FAILED are but for these.
        """
        found: dict[int, list[tuple[int, float, float]]] = {}
        for p, after, situation, untold in self.world.ways(state, step):
            kinds = self._kind_numbers.setdefault(tuple(untold.items()), next(self._numbers))
            self._kinds[kinds] = untold
            alarm = self.alarm(step, situation, None) if self._reports else 0.0
            found.setdefault(after, []).append((kinds, p * (1 - alarm), p * alarm))
        return [(after, self.world.reading(after), ways) for after, ways in found.items()]

    def _share(self, kinds: int) -> float:
        return self.world.share(self._kinds[kinds])

    def predict(self, weights: Weights, step: Step) -> Weights:
        """Return the hypotheses that a step would leave."""
        found, outcomes = dict[int, float](), self.outcomes(step)
        for state, p in weights:
            for after, _, done, failed in outcomes[state]:
                found[after] = found.get(after, 0.0) + p * (done + failed)
        return normalized(found, self._most)

    def reported(self, weights: Weights, step: Step) -> Iterator[tuple[float, Weights]]:
        """Yield the hypotheses after a step by what the sensors read and the robot reports, with the
        probability of each case.
        """
        cases: dict[int, tuple[dict[int, float], dict[int, float]]] = {}
        outcomes = self.outcomes(step)
        for state, p in weights:
            for after, reading, done, failed in outcomes[state]:
                case = cases.get(reading) or cases.setdefault(reading, ({}, {}))
                case[0][after] = case[0].get(after, 0.0) + p * failed
                case[1][after] = case[1].get(after, 0.0) + p * done
        for found in (found for case in cases.values() for found in case):
            if (p := sum(found.values())) > LEAST_CASE:
                yield p, normalized(found, self._most)

    def gone_well(self, weights: Weights, step: Step, reading: int) -> Weights:
        """Return the hypotheses that a step would leave if the robot then reads this and reports DONE."""
        found, outcomes = dict[int, float](), self.outcomes(step)
        for state, p in weights:
            for after, read, done, _ in outcomes[state]:
                if read == reading:
                    found[after] = found.get(after, 0.0) + p * done
        return normalized(found, self._most)

    def done(
        self,
        joint: Joint,
        step: Step,
        result: StepResult | None = None,
        before: StepStatus | None = None,
    ) -> Joint:
        """Return the hypotheses after a step, with what the robot reported of it, and `before` of the same
        step.
        """
        failed = result.status is StepStatus.FAILED if result is not None and self._reports else None
        why = self.heard(step, result) if result is not None else Heard()
        joint = self._believing(joint, why.facts) if why.facts else joint
        words = reason_words(result.detail) if result and failed and why == Heard() else ""
        found: list[tuple[int, Part]] = []
        for state, part in joint.items():
            ways = self.world.ways(state, step)
            named = {way.situation for way in ways} - {"", NO_EFFECT, NOT_POSSIBLE}
            for way in ways:
                q = way.probability * share(way.untold, part.untold, self.world.counted_before)
                if failed is not None:
                    alarm = self.alarm(step, way.situation, before)
                    q *= alarm if failed else 1 - alarm
                    q *= self._explains(why, way.situation, state)
                    q *= meaning(self.world.kept, step.name, words, way.situation) if words else 1.0
                seen = way.untold
                if self.counting:
                    seen = {**seen, **events(step.name, way.situation, named, words)}
                found.append((way.state, Part(part.times(q).ways, counted(part.untold, seen))))
        return normalized_joint(self._changing(merged(found)), self._most)

    def heard(self, step: Step, result: StepResult) -> Heard:
        """Return what a robot that failed says about why."""
        if not self._reports or result.status is not StepStatus.FAILED:
            return Heard()
        return heard(self.world.domain_spec, self.world.problem, step, result.detail)

    def _explains(self, why: Heard, situation: str, state: int) -> float:
        """Return how far the robot's words fit what happened in this state."""
        if why.situation:
            return 1.0 if situation == why.situation else MISHEARD
        if why.facts:
            here = self.world.states[state]
            fits = situation == NOT_POSSIBLE and all((a in here) is so for a, so in why.facts.items())
            return 1.0 if fits else MISHEARD
        return 1.0

    def _believing(self, joint: Joint, said: Mapping[Atom, bool], least: float = MENDED) -> Joint:
        """Return the hypotheses with some in which this is so, if there are hardly any: the model of the
        world was wrong, then.
        """
        states = self.world.states
        others = [s for s in joint if any((atom in states[s]) is not so for atom, so in said.items())]
        if sum(joint[s].total for s in others) < 1 - least:
            return joint
        mended = ((self._mended(s, said), joint[s].times(least)) for s in others)
        return normalized_joint(merged([*joint.items(), *mended]), self._most)

    def _changing(self, joint: Joint) -> Joint:
        """Return the hypotheses where the answers may come about in another way from now on."""
        prior = self.errors.prior
        if len(prior) == 1:
            return joint
        return {
            state: Part(
                tuple(
                    (1 - WAYS_CHANGE) * way + WAYS_CHANGE * p * part.total
                    for way, p in zip(part.ways, prior, strict=True)
                ),
                part.untold,
            )
            for state, part in joint.items()
        }

    def alarm(self, step: Step, situation: str, before: StepStatus | None) -> float:
        """Return the probability that the robot reports FAILED of a step that went this way."""
        if situation == NOT_POSSIBLE:
            rates = REFUSED_AND_FELT if self.world.feels_everything(step) else REFUSED
            return rates.get(before, rates[None])
        if not situation:
            return FALSE_ALARM
        felt = self.world.felt(step)
        return FELT if situation in felt or (situation == NO_EFFECT and felt) else MISSED

    def blur(self, joint: Joint, step: Step) -> Joint:
        """Return the hypotheses after a halted step: it may or may not have had its effect."""
        both = (joint, self.done(joint, step))
        return normalized_joint(merged(item for one in both for item in one.items()), self._most)

    def answered(self, joint: Joint, answers: Iterable[tuple[Answer, Asked]]) -> Joint:
        """Return the hypotheses after a model's answers; UNKNOWN says nothing."""
        for answer, asked in answers:
            if answer.verdict is Verdict.UNKNOWN:
                continue
            yes, found, shown = answer.verdict is Verdict.YES, {}, self.errors.shown[answer.atom]
            if answer.atom in self.world.goal_seen:
                joint = self._believing(joint, {answer.atom: yes}, UNLIKELY)
            likely = self.errors.likelihoods(answer.atom, yes, asked)
            for state, part in joint.items():
                ways = tuple([p * q for p, q in zip(part.ways, likely[shown[state]], strict=True)])
                found[state] = Part(ways, part.untold)
            joint = normalized_joint(found, self._most)
        return joint

    def updated_with(self, joint: Joint, answers: Iterable[Answer], doubting: float = 0.0) -> Joint:
        """Return the hypotheses after exact answers: a sensor's, or a person's.

        `doubting` is how likely the model was wrong about the world where a hypothesis disagrees: then it is
        mended, and all else in it stays. If no hypothesis agrees, all of them are. So the truth can come back
        after it was given up as too unlikely.
        """
        said = {a.atom: a.verdict is Verdict.YES for a in answers if a.verdict is not Verdict.UNKNOWN}
        states = self.world.states
        agreeing = {
            state: part
            for state, part in joint.items()
            if all((atom in states[state]) is so for atom, so in said.items())
        }
        if sum(part.total for part in agreeing.values()) <= AGREEING:
            agreeing, doubting = {}, 1.0
        found = [*agreeing.items()]
        if doubting:
            others = (s for s in joint if s not in agreeing)
            found += [(self._mended(s, said), joint[s].times(doubting)) for s in others]
        return normalized_joint(merged(found), self._most)

    def _mended(self, state: int, said: Mapping[Atom, bool]) -> int:
        """Return the state with these facts, without what they exclude, and with the folder's assumptions."""
        atoms = set(self.world.states[state]) - {atom for atom, so in said.items() if not so}
        for atom in sorted(a for a, so in said.items() if so and a not in atoms):
            while (other := self._rules.excluder(atom, atoms)) is not None:
                atoms.discard(other)
            atoms.add(atom)
        fixed = self._rules.apply_to_state(frozenset(atoms))
        return self.world.number(
            (fixed | {a for a, so in said.items() if so}) - {a for a, so in said.items() if not so}
        )
