"""Select questions by value of information, and whom to ask: the model or the operator.

The operator is asked between two steps, everything that is worth it at once, and nothing twice unless a step
has changed it since. Who did not answer is left alone for a while.
"""

from __future__ import annotations

from dataclasses import replace

from core.belief import Atom, Purpose, Query, Verdict
from core.methods.careful.choice import ActionSelector
from core.methods.careful.cost_to_go import CostToGo
from core.methods.careful.heard import effects
from core.methods.careful.hypotheses import Weights, doubtful, goal_probability
from core.methods.careful.information import Information, Picture, Worth, split
from core.methods.careful.world_model import WorldModel
from core.operator import Addressee
from core.planning_model import Step
from core.policy import AskQuestions, Context, GotAnswers, StepDone, StepHalted
from core.reason import Cause, Reason

SILENCE = 10  # turns without a question after one that the operator left unanswered
BATCH = 3  # questions to the operator at a time
CANDIDATES = 6  # of which these are chosen
LIKELY = 0.05  # probability of what a plan is said to be made for
LEAST_GAIN = 0.01  # in the probability of the goal, to be told


class Asker:
    """Pure."""

    def __init__(self, chooser: ActionSelector) -> None:
        self.chooser = chooser
        self.world: WorldModel = chooser.world
        self.costs: CostToGo = chooser.costs
        self.information: Information = chooser.information
        self.options = chooser.options

    def questions(self, context: Context, weights: Weights, picture: Picture) -> AskQuestions | None:
        """Return the questions that are worth their price, of whom they are worth more."""
        if len(weights) < 2:
            return None
        found, unit = self.chooser.questions(weights, picture)
        of_model = sum(w.value for w in found) if unit == "steps" else 0.0
        price = self.options.operator_cost
        asked = self._of_operator(context, weights, of_model, price) if price else None
        return asked or self._of_model(context, weights, found, unit)

    def _of_model(
        self, context: Context, weights: Weights, found: list[Worth], unit: str
    ) -> AskQuestions | None:
        spec, queries = self.world.domain_spec, []
        for n, worth in enumerate(found):
            believed = context.belief.verdict(worth.atom)
            query = spec.query(worth.atom, Purpose.UNCERTAIN, believed)
            if query is not None and worth.against:
                decides = f"surely {query.text_verdict(believed).value}: it tells if the answers only agree"
                query = replace(query, purpose=Purpose.CHECK, expected=believed.opposite, decides=decides)
            if query is not None and unit == "steps" and not worth.against:
                decides = self._decides(weights, worth.atom) if n == 0 else ""
                query = replace(query, worth=round(worth.value, 2), decides=decides)
            queries += [query] if query is not None else []
        if not queries:
            return None
        note = f"An answer saves up to {found[0].value:.1f} steps"
        if unit == "nats":
            sure = goal_probability(self.world, weights)
            note = f"The goal is reached with {100 * sure:.0f} % probability: make sure"
        return AskQuestions(tuple(queries), reason=uncertain(context, note))

    def _of_operator(
        self, context: Context, weights: Weights, instead: float, price: float
    ) -> AskQuestions | None:
        """Return questions to the operator that save more than they cost, and than asking the model."""
        if silent(context):
            return None
        expected = self.costs.expected(weights)
        asked = self.asked_before(context)
        found = self.information.of_operator(weights, expected, asked)[:CANDIDATES]
        if not found or found[0].value - price <= max(0.0, instead):
            return None
        chosen, branches = [found[0]], [(1.0, weights)]
        for candidate in found[1:]:
            branches = [b for share, w in branches for b in split(self.world, w, chosen[-1].atom, share)]
            left = self._left(branches, candidate.atom)
            if len(chosen) < BATCH and left > price:
                chosen.append(replace(candidate, value=left))
            else:
                break
        queries = tuple(self._in_words(context, weights, worth) for worth in chosen)
        note = f"Your answer saves {found[0].value:.1f} steps"
        return AskQuestions(
            queries, Addressee.OPERATOR, uncertain(context, note), self.options.operator_seconds or None
        )

    def _left(self, branches: list[tuple[float, Weights]], atom: Atom) -> float:
        """Return the steps that the exact answer still saves once the earlier ones are known."""
        exact, expected = self.information.exact, self.costs.expected
        return sum(share * exact(weights, atom, expected(weights), {}) for share, weights in branches)

    def _in_words(self, context: Context, weights: Weights, worth: Worth) -> Query:
        """Return the question to a person; `of_operator` names only facts that have words."""
        spec, atom = self.world.domain_spec, worth.atom
        expected = context.belief.verdict(atom)
        query = spec.query(atom, Purpose.UNCERTAIN, expected)
        if query is None or spec.has_statement(atom.predicate):
            query = Query(atom, as_question(spec.describe_atom(atom)), expected=expected)
        return replace(query, worth=round(worth.value, 2), decides=self._decides(weights, atom))

    def _decides(self, weights: Weights, atom: Atom) -> str:
        """Return what would be done after yes and after no, in words; "" if it is the same."""
        parts = (part for _, part in split(self.world, weights, atom))
        after = {atom in self.world.states[part[0][0]]: self._next(part) for part in parts}
        if len(set(after.values())) < 2:
            return ""
        return "; ".join(f"if {'yes' if so else 'no'}, {what}" for so, what in after.items())

    def _next(self, weights: Weights) -> str:
        """Return what would be done with this belief, in words."""
        costs = self.costs
        leaders = costs.leaders(weights, CANDIDATES)
        best = min(leaders, key=lambda leader: costs.following(leader, weights), default=None)
        claim = self.options.false_claim_cost * (1 - goal_probability(self.world, weights))
        if best is None or claim <= costs.following(best, weights):
            return "claim the goal" if claim < self.options.false_claim_cost / 2 else "give up"
        return self.world.domain_spec.describe_step(costs.plan(best)[0])

    def hope(self, weights: Weights, steps: tuple[Step, ...], old: tuple[Step, ...]) -> str:
        """Return in a line what a plan may gain beside the old one, with its figures after a colon; "" if
        nothing.

        Such as "Perhaps the sink is not full of water, 14 %: a step costs 1, a false claim 1,000".
        """
        world, price = self.world, self.options.false_claim_cost
        more = (step for step in steps if step not in old)
        wanted = {e.atom: e.positive for step in more for e in effects(world.problem, step)}
        for atom, p in doubtful(world, weights):
            share = 1 - p if wanted.get(atom) else p
            if atom in wanted and LIKELY <= share < 0.5 and world.domain_spec.has_statement(atom.predicate):
                what = world.domain_spec.describe_atom(atom, not wanted[atom])
                return f"Perhaps {what}, {100 * share:.0f} %: a step costs 1, a false claim {price:,.0f}"
        before, after = (self._reached(weights, done) for done in (old, steps))
        if after - before < LEAST_GAIN:
            return ""
        instead = "the old one" if old else "it is reached now"
        said = f"Done as it is, this plan reaches the goal with {after:.0%}: {instead} with {before:.0%}"
        return said.replace("%", " %")

    def _reached(self, weights: Weights, steps: tuple[Step, ...]) -> float:
        """Return the probability of the goal after these steps, whatever is seen meanwhile."""
        for step in steps:
            weights = self.chooser.filter.predict(weights, step)
        return goal_probability(self.world, weights)

    def asked_before(self, context: Context) -> set[Atom]:
        """Return what the operator was asked: until a step changes it, or for good if they said nothing."""
        known, unanswered = set[Atom](), set[Atom]()
        for seen in context.history:
            match seen:
                case GotAnswers(_, answers, Addressee.OPERATOR):
                    for answer in answers:
                        (unanswered if answer.verdict is Verdict.UNKNOWN else known).add(answer.atom)
                case StepDone(step) | StepHalted(step):
                    known -= self.world.touched(step)
        return known | unanswered


def uncertain(context: Context, note: str) -> Reason:
    return Reason(Cause.UNCERTAIN, turn=context.turn, note=note)


def silent(context: Context) -> bool:
    """Return True if the operator has lately left a question unanswered."""
    for seen in reversed(context.history):
        if isinstance(seen, GotAnswers) and seen.addressee is Addressee.OPERATOR:
            unanswered = all(a.verdict is Verdict.UNKNOWN for a in seen.answers)
            return unanswered and any(context.turn - a.turn < SILENCE for a in seen.answers)
    return False


def as_question(statement: str) -> str:
    """Return a statement as a question to a person: "the egg is cut" becomes "Is the egg cut?"."""
    subject, verb, rest = statement.partition(" is ")
    return f"Is {subject} {rest}?" if verb else f"Is this true: {statement}?"
