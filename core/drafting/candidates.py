"""Which edits may mend a draft where a walk goes another way than the world says, and which are likely."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import islice

from core.belief import Atom
from core.drafting.edits import Edit, FactEdit, literal_edits
from core.drafting.screening import is_likely, missing_links
from core.drafting.steps import DraftSteps, Walk
from core.drafting.world import Game
from core.planning.join import FactIndex, Join
from core.planning_model import Problem, Step

PATIENCE = 4_000  # steps that are looked at for a missing fact


def unusual(problem: Problem) -> Callable[[Edit], int]:
    """Return what says of an edit how many actions more have what it takes away than have what it gives.

    Of edits that mend as much, the one is right that makes an action more like the others.
    """
    counts = Counter((False, part) for action in problem.domain.actions for part in action.precondition)
    counts.update((True, part.literal) for action in problem.domain.actions for part in action.effects)

    def more(edit: Edit) -> int:
        if isinstance(edit, FactEdit):
            return 0
        old, new = (counts[edit.effect, part] if part else 0 for part in (edit.old, edit.new))
        return old - new

    return more


def of_literals(draft: DraftSteps, game: Game, walks: Sequence[Walk]) -> Iterator[Edit]:
    """Yield the edits of all actions in these walks, the last word's first.

    The action of the last word alone is often not at fault.
    """
    blamed: dict[str, None] = {}
    for back in range(1, max(map(len, walks), default=0) + 1):
        for word in dict.fromkeys(walk[-back] for walk in walks if len(walk) >= back):
            blamed |= dict.fromkeys(_of_word(draft, word, game))
    for name in blamed:
        yield from literal_edits(draft.problem, draft.problem.domain.action(name))


def _of_word(draft: DraftSteps, word: str, game: Game) -> Iterator[str]:
    """Yield the draft's actions that may be said so: a person's draft may lack some of the game's."""
    there = {action.name for action in draft.problem.domain.actions}
    return (name for name in game.actions_of(word) if name in there)


def of_facts(draft: DraftSteps, game: Game, words: Walk, possible: int) -> Iterator[Edit]:
    """Yield facts of the first state, changed by no action, with which no more or less than the first
    `possible` words may be done.
    """
    problem = draft.problem
    fluent = problem.domain.fluents
    done, _ = draft.run(words)
    at = min(done, possible)
    if at == len(words) or done == possible:
        return
    word, (_, states) = words[at], draft.run(words[:at])
    wanted = done < possible  # the world can, the draft cannot
    for state in sorted(states)[:2]:
        index = FactIndex(draft.whole(state))
        for name in _of_word(draft, word, game):
            action = problem.domain.action(name)
            names = [p.name for p in action.parameters]
            for n, literal in enumerate(action.precondition):
                if literal.predicate in fluent:
                    continue
                others = action.precondition[:n] + action.precondition[n + 1 :]
                checked = others if wanted else action.precondition
                steps = Join(action.parameters, checked, problem.of_type).run(index)
                for args in sorted(islice(steps, PATIENCE)):
                    fact: Atom = literal.bind(dict(zip(names, args, strict=True))).atom
                    holds = literal.positive == wanted
                    said = game.word_of(Step(name, args)) == word
                    if said and (fact in problem.state) != holds and _fits(problem, fact, holds):
                        yield FactEdit(fact, holds)


def _fits(problem: Problem, fact: Atom, holds: bool) -> bool:
    """Return False for a link that is unlike the others, and for taking one away that they suggest."""
    if holds:
        return is_likely(problem, fact)
    return fact not in missing_links(replace(problem, state=problem.state - {fact}))
