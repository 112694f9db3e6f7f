"""Repair a draft without a model: search the edit with which most walks go as the world says.

Each round takes one edit of a literal or a fact, by all evidence so far: random walks of both sides, and the
shortest words on which a comparison of all states found them to differ.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from itertools import islice

from core.drafting.agreement import LIMIT, Comparison, Walks, compare
from core.drafting.edits import (
    Edit,
    FactEdit,
    LiteralEdit,
    literal_edits,
    of_facts,
    of_literals,
    unusual,
)
from core.drafting.plans import far_walk
from core.drafting.replies import Run
from core.drafting.screening import missing_links
from core.drafting.steps import MAX_STATES, DraftSteps, Walk
from core.drafting.world import Game, World
from core.planning_model import Problem
from core.text.plural import plural
from core.work import TooMuchWork, Work

SEARCH = 2_500_000  # units of work, some 12 s; then the best so far counts
ROUNDS, MOST_LOOKS = 12, 6  # repairs, and edits that are looked at before one is taken
LOOK = 300  # pairs of states that are compared at a look
MOST_FIRST, MOST_HARMLESS = 6, 20  # edits that are tried with another one, where none helps alone
MOST_GOOD, MOST_BAD = 250, 24  # walks that each edit is tried on, the shortest


@dataclass(frozen=True)
class Evidence:
    """What the world does with words: how many can be done, and whether its goal holds then."""

    words: Walk
    done: int
    goal: bool | None = None  # None: not looked at

    @classmethod
    def of(cls, words: Walk, run: Run) -> Iterator[Evidence]:
        """Yield what is known of these words, unless nobody knows what becomes of them."""
        if run.done is not None:
            goal = run.goal if run.done == len(words) and not run.open else None
            yield cls(words[: run.done + (not run.open)], run.done, goal)

    def agrees(self, draft: DraftSteps) -> bool:
        done, states = draft.run(self.words)
        return done == self.done and (self.goal is None or draft.is_goal(states) == self.goal)


@dataclass(frozen=True)
class Repair:
    """An edit, with the walks that need it and those that forbid it. `tried` counts the edits looked at."""

    edit: Edit
    needed_by: tuple[Evidence, ...]
    forbidden_by: tuple[Evidence, ...]
    tried: int
    tightens: bool = False  # a word says many steps without it

    @property
    def reason(self) -> str:
        """Return how many walks need it and forbid it, each with the shortest."""
        said = {"needed by": self.needed_by, "forbidden by": self.forbidden_by}
        shortest = {how: min(walks, key=lambda one: len(one.words)) for how, walks in said.items() if walks}
        each = (
            f"{how} {plural(len(said[how]), 'walk')}, such as {', '.join(one.words)}"
            for how, one in shortest.items()
        )
        many = f"without it a word says {MAX_STATES} steps or more" if self.tightens else ""
        return "; ".join(filter(None, (many, *each))) or "its neighbours have it"


@dataclass(frozen=True)
class Repaired:
    """What repairs led to. `comparison` is the last one; None without a world to compare with."""

    problem: Problem
    repairs: tuple[Repair, ...]
    agrees: bool
    comparison: Comparison | None = None

    @property
    def tried(self) -> int:
        return sum(repair.tried for repair in self.repairs)


def repair(
    problem: Problem,
    game: Game,
    walks: Walks,
    limit: int = LIMIT,
    rounds: int = ROUNDS,
    refused: Collection[Edit] = (),
    facts: bool = True,
    known: dict[Evidence, None] | None = None,
    within: Work | None = None,
) -> Repaired:
    """Edit the draft until the walks and, with a world, all states agree, or no edit helps. Asks no model.

    No edit is made that a person `refused`, nor one of a fact but for missing links without `facts`.
    Before an edit is taken, what is still wrong with it becomes evidence too, and may prefer another. With a
    world that does not err, two are taken where none helps alone, and edits that lead nowhere are all taken
    back, once, as the evidence that they left may prefer others. What is found out is added to `known`: who
    repairs one edit at a time keeps it, or may go in a circle. After SEARCH units of work, or those that are
    left `within` a larger budget, the edits with which most agrees so far are returned.
    """
    draft = DraftSteps(problem, game.word_of)
    seen = _Seen(walks, draft, known)
    tries = list[Repaired]()
    with suppress(TooMuchWork), within or nullcontext(), Work(SEARCH):
        for _ in range(2 if seen.world is not None and rounds > 1 else 1):
            tries.append(Repaired(problem, (), False))
            for tries[-1] in _mended(draft, seen, limit, rounds, refused, facts):
                if tries[-1].agrees:
                    return tries[-1]

    def agreeing(found: Repaired) -> int:
        return seen.agreeing(DraftSteps(found.problem, game.word_of))

    return max(reversed(tries), key=agreeing) if len(tries) > 1 else tries[0]


def _mended(
    draft: DraftSteps, seen: _Seen, limit: int, rounds: int, refused: Collection[Edit], facts: bool
) -> Iterator[Repaired]:
    """Yield what the draft has become after each edit, and at first."""
    links = (FactEdit(link, True) for link in missing_links(draft.problem))
    done = [Repair(link, (), (), 0) for link in links if link not in refused]
    for one in done:
        draft = draft.edited(one.edit.apply(draft.problem))
    for left in range(rounds, -1, -1):
        compared = seen.learn(draft)
        if seen.agrees(draft):
            compared = seen.learn(draft, limit)
        yield Repaired(draft.problem, tuple(done), seen.agrees(draft), compared)
        if not left:
            return
        trial, looked = _Edited(draft, facts, refused), set[Edit]()
        best = _best(trial, seen.known)
        while best is not None and best.edit not in looked and len(looked) < MOST_LOOKS:
            looked.add(best.edit)
            seen.learn(trial.after(best.edit))
            best = _best(trial, seen.known) or best
        taken = (best,) if best else _two(trial, seen.known, done) if seen.world else ()
        if not taken:
            return
        for each in taken:
            draft = draft.edited(each.edit.apply(draft.problem))
            taken_back = [one for one in done if one.edit.inverse == each.edit]
            done = [one for one in done if one not in taken_back] if taken_back else [*done, each]


def evidence_of(draft: DraftSteps, walks: Walks) -> tuple[Evidence, ...]:
    """Return what the world does with its own walks, the draft's, and the words on which they differ."""
    seen = _Seen(walks, draft)
    seen.learn(draft)
    return tuple(seen.known)


class _Seen:
    """What a world was seen to do with its own walks, with one that comes far, and with those of drafts."""

    def __init__(self, walks: Walks, draft: DraftSteps, known: dict[Evidence, None] | None = None) -> None:
        self.walks, self.world = walks, walks.simulator.proven
        self.known = {} if known is None else known
        self.known |= dict.fromkeys(Evidence(walk, len(walk)) for some in walks.of_world for walk in some)
        for walk in _far(self.world, draft) if self.world is not None else ():
            self._add(walk, walks.simulator.run(walk))

    def _add(self, words: Walk, run: Run) -> None:
        self.known |= dict.fromkeys(Evidence.of(words, run))

    def agreeing(self, draft: DraftSteps) -> int:
        return sum(one.agrees(draft) for one in self.known)

    def agrees(self, draft: DraftSteps) -> bool:
        return all(one.agrees(draft) for one in self.known)

    def learn(self, draft: DraftSteps, limit: int = LOOK) -> Comparison | None:
        """Add what the world does with the draft's own walks, and with the words on which they differ."""
        for walk, run in (one for some in self.walks.of_draft(draft) for one in some):
            self._add(walk, run)
        if self.world is None:
            return None
        compared = compare(self.world, draft, limit)
        if compared.difference is not None:
            words = compared.difference.words
            self._add(words, self.walks.simulator.run(words))
        return compared


class _Edited:
    """A draft with each single edit that is allowed, made once."""

    def __init__(self, draft: DraftSteps, facts: bool, refused: Collection[Edit]) -> None:
        self.draft, self.facts, self.refused = draft, facts, refused
        self._last: tuple[Edit, DraftSteps] | None = None
        self._agrees: dict[tuple[Edit | None, Evidence], bool] = {}

    def agrees(self, edit: Edit, one: Evidence) -> bool:
        same = isinstance(edit, LiteralEdit) and edit.action not in self.draft.actions_of(one.words)
        key = None if same else edit, one  # no edit of an action changes a walk without it
        if key not in self._agrees:
            self._agrees[key] = one.agrees(self.draft if same else self.after(edit))
        return self._agrees[key]

    def after(self, edit: Edit) -> DraftSteps:
        """Return the draft with an edit. Only the last is kept: a loose one may have 100,000 steps."""
        if self._last is None or self._last[0] != edit:
            self._last = edit, self.draft.edited(edit.apply(self.draft.problem))
        return self._last[1]


def _far(world: World, draft: DraftSteps) -> Iterator[Walk]:
    """Yield the walk that comes far, and its beginnings up to where another action comes first."""
    walk, told = far_walk(world), list[list[str]]()
    for number, word in enumerate(walk, 1):
        if (actions := draft.actions_of([word])) not in told or number == len(walk):
            told.append(actions)
            yield walk[:number]


def _best(drafts: _Edited, known: Iterable[Evidence]) -> Repair | None:
    """Return the edit after which most of the evidence agrees, if that is more than now.

    Where a word says many steps, walks agree by accident and each edit takes long to try: then it is the best
    of those that mend this.
    """
    good, bad = _judged(drafts, known)
    wide = _wide_state(drafts.draft, known)
    best, most, tried = None, -len(good) if wide is not None else 0, 0
    for edit in _candidates(drafts, bad) if wide is None else _likely(drafts, _tightening(drafts, wide)):
        tried += 1
        if (gain := _count(drafts, edit, bad, most)) <= most:
            continue
        if (net := gain - len(good) + _count(drafts, edit, good, most + len(good) - gain)) > most:
            best, most = edit, net
    return _repair(drafts, best, good, bad, tried, wide is not None) if best else None


def _two(drafts: _Edited, known: Collection[Evidence], done: Sequence[Repair]) -> tuple[Repair, ...]:
    """Return two edits that help together, where none does alone, if some are found: the first takes one of
    those done back, mends the most, or does no harm.
    """
    if _wide_state(drafts.draft, known) is not None:
        return ()
    good, bad = _judged(drafts, known)
    edits = sorted(_candidates(drafts, bad), key=lambda edit: -_count(drafts, edit, bad, 0))
    harmless = (edit for edit in edits if _count(drafts, edit, good, len(good) - 1) == len(good))
    backwards = [one.edit.inverse for one in done if isinstance(one.edit, LiteralEdit)]
    agreeing = sum(one.agrees(drafts.draft) for one in known)
    for edit in (*backwards, *edits[:MOST_FIRST], *islice(harmless, MOST_HARMLESS)):
        after = _Edited(drafts.after(edit), drafts.facts, drafts.refused)
        second = _best(after, known)
        if second is not None and sum(after.agrees(second.edit, one) for one in known) > agreeing:
            return _repair(drafts, edit, good, bad, len(edits)), second
    return ()


def _repair(
    drafts: _Edited,
    edit: Edit,
    good: Sequence[Evidence],
    bad: Sequence[Evidence],
    tried: int,
    tightens: bool = False,
) -> Repair:
    needed = tuple(one for one in bad if drafts.agrees(edit, one))
    return Repair(edit, needed, tuple(one for one in good if not drafts.agrees(edit, one)), tried, tightens)


def _judged(drafts: _Edited, known: Iterable[Evidence]) -> tuple[list[Evidence], list[Evidence]]:
    """Return the shortest walks that agree now, and those that do not: of each kind in turn with the others,
    as of most walks the same is wrong, and an edit that forbids an action for ever mends all of them.
    """
    good, turns = list[Evidence](), list[tuple[int, Evidence]]()
    kinds: dict[object, int] = defaultdict(int)
    for one in sorted(known, key=lambda one: len(one.words)):
        done, _ = drafts.draft.run(one.words)
        if one.agrees(drafts.draft):
            good.append(one)
            continue
        at = min(done, one.done)
        kind = (*drafts.draft.actions_of(one.words[at : at + 1]), done > one.done) if done != one.done else ()
        turns.append((kinds[kind], one))
        kinds[kind] += 1
    turns.sort(key=lambda pair: pair[0])
    return good[:MOST_GOOD], [one for _, one in turns][:MOST_BAD]


def _count(drafts: _Edited, edit: Edit, evidence: Sequence[Evidence], least: int) -> int:
    """Return how many agree; less is returned as soon as it cannot be more than `least`."""
    agreed = 0
    for number, one in enumerate(evidence):
        if agreed + len(evidence) - number <= least:
            break
        agreed += drafts.agrees(edit, one)
    return agreed


def _candidates(drafts: _Edited, bad: Sequence[Evidence]) -> list[Edit]:
    """Return the edits that may mend these walks, the likely ones first."""
    edits = list(of_literals(drafts.draft, [one.words for one in bad]))
    for one in bad if drafts.facts else ():
        edits += of_facts(drafts.draft, one.words, one.done)
    return _likely(drafts, edits)


def _likely(drafts: _Edited, edits: Iterable[Edit]) -> list[Edit]:
    allowed = (edit for edit in dict.fromkeys(edits) if edit not in drafts.refused)
    return sorted(allowed, key=unusual(drafts.draft.problem))


def _wide_state(draft: DraftSteps, known: Iterable[Evidence]) -> int | None:
    """Return a state, the first of the shortest walks, in which a word says MAX_STATES steps or more."""
    walks = (one.words for one in sorted(known, key=lambda one: len(one.words)))
    states = dict.fromkeys(state for words in walks for state in draft.states_of(words))
    return next((s for s in states if max(draft.breadth(s).values(), default=0) >= MAX_STATES), None)


def _tightening(drafts: _Edited, state: int) -> Iterator[Edit]:
    """Yield the edits after which a word of their action says half as many steps in a state, or fewer."""
    problem, breadth = drafts.draft.problem, drafts.draft.breadth(state)
    for name in (name for name, count in breadth.items() if count >= MAX_STATES):
        for edit in literal_edits(problem, problem.domain.action(name)):
            if 2 * drafts.after(edit).breadth(state).get(name, 0) <= breadth[name]:
                yield edit
