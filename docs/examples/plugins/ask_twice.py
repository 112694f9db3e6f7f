"""An example method: DKPROMPT that asks again about a surprising answer before it believes it."""

from dataclasses import replace

from core.belief import Belief, Purpose, Query
from core.methods.dkprompt import DKPrompt, DKPromptOptions
from core.policy import Action, AskQuestions, Context, GotAnswers
from core.registry import Entry


class AskTwice(DKPrompt):
    def interpret(self, context: Context, seen: GotAnswers) -> Belief:
        """Return the belief updated with the answers; a surprising one counts only if it is given twice."""
        surprising = {q.atom for q in unexpected_answers(seen)}
        expected_answers = [a for a in seen.facts if a.atom not in surprising]
        return self.assume(context.belief.updated_with(expected_answers), context.turn)

    def act(self, context: Context) -> Action:
        latest = context.latest
        if isinstance(latest, GotAnswers) and (again := unexpected_answers(latest)):
            return AskQuestions(again)
        return super().act(context)


def unexpected_answers(seen: GotAnswers) -> tuple[Query, ...]:
    """Return the questions whose answers were unexpected, worded as questions to ask again."""
    pairs = zip(seen.queries, seen.answers, strict=True)
    return tuple(
        replace(query, text=f"Look again. {query.text}", purpose=Purpose.CHECK)
        for query, answer in pairs
        if query.purpose is not Purpose.CHECK and answer.verdict is query.expected.opposite
    )


ENTRIES = {
    "methods": [
        Entry(
            "ask-twice",
            "Ask twice",
            "DKPROMPT that asks again about a surprising answer.",
            lambda domain_spec, problem, options, **_: AskTwice(domain_spec, problem, options, "ask-twice"),
            DKPromptOptions,
        )
    ]
}
