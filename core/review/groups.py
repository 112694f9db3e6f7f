"""Groups of episodes: by model, robot, method, task, seed, tag, day, each figure with its 95 % interval."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.intervals import mean_interval, wilson_interval
from core.log.store import FACETS, FALSE_CLAIM, TAG, EpisodeFilter, Store

MOST = 200  # groups; more than anybody compares
GROUPINGS = {**FACETS, "day": "date(began, 'unixepoch', 'localtime')", TAG: "ifnull(tag.name, '')"}  # as SQL
SHARES = {  # name: (in words, what counts, what it is counted of), as SQL
    "true_goal": ("goal true", "true_goal", "true_goal is not null"),
    "believed_goal": ("goal believed", "believed_goal", "believed_goal is not null"),
    "false_claims": ("false claims", FALSE_CLAIM, "true_goal is not null"),
}
MEANS = ("turns", "steps", "replans", "overrides", "seconds", "cost")
WORDS = {name: words for name, (words, _, _) in SHARES.items()} | {
    "turns": "turns",
    "steps": "steps",
    "replans": "re-plans",
    "overrides": "overrides",
    "seconds": "seconds",
    "cost": "US dollars",
}


@dataclass(frozen=True)
class Figure:
    """A share (0 to 1) or a mean over `n` episodes with its 95 % interval; all None where n is 0.

    The interval of a mean of one episode is not known: `low` and `high` are None.
    """

    n: int
    value: float | None = None
    low: float | None = None
    high: float | None = None

    @property
    def total(self) -> float:
        """Return what all episodes have together."""
        return self.n * (self.value or 0.0)


@dataclass(frozen=True)
class EpisodeGroup:
    """The ended episodes with the same values of one or more facets; "" where they have none."""

    values: tuple[str, ...]
    episodes: int
    figures: Mapping[str, Figure]  # by the names of WORDS


def group_query(which: EpisodeFilter, by: Sequence[str]) -> tuple[str, list[object]]:
    """Return the SQL of the groups, largest first, and its values; `by`: names of GROUPINGS, none: all in one
    group.

    For each share its hits and of how many, for each mean how many, sum and sum of squares.
    """
    where, values = which.where()
    source = "episode left join tag on tag.episode = nr" if TAG in by else "episode"
    columns = [f"{GROUPINGS[name]} as {name}_group" for name in by] + ["count(*) as episodes"]
    for name, (_, hit, of) in SHARES.items():
        columns += [f"ifnull(sum(({hit}) and {of}), 0) as {name}", f"sum({of}) as {name}_of"]
    for name in MEANS:
        columns += [f"count({name}) as {name}_n", f"total({name}) as {name}_sum"]
        columns.append(f"total({name} * {name}) as {name}_squares")
    places = ", ".join(str(i + 1) for i in range(len(by))) or "true"
    shown = ",\n    ".join(columns)
    return (
        f"select {shown}\nfrom {source}\nwhere {where} and ended is not null\n"
        f"group by {places} having count(*) > 0 order by episodes desc, {places} limit {MOST}",
        values,
    )


def groups(store: Store, which: EpisodeFilter, by: Sequence[str]) -> tuple[EpisodeGroup, ...]:
    """Return the groups of the episodes that pass, largest first. Raises BadValue, LogError."""
    sql, values = group_query(which, by)
    kinds = (*(str,) * len(by), int, *(int,) * (2 * len(SHARES)), *(int, float, float) * len(MEANS))
    return tuple(_group(len(by), row) for row in store.rows(kinds, sql, values))


def _group(by: int, row: Sequence[Any]) -> EpisodeGroup:
    episodes, *rest = row[by:]
    figures: dict[str, Figure] = {}
    for name in SHARES:
        hits, of, *rest = rest
        figures[name] = share(hits, of)
    for name in MEANS:
        n, total, squares, *rest = rest
        figures[name] = mean(n, total, squares)
    return EpisodeGroup(tuple(row[:by]), episodes, figures)


def share(hits: int, of: int) -> Figure:
    """Return a share with Wilson's interval."""
    return Figure(of, hits / of, *wilson_interval(hits, of)) if of else Figure(0)


def mean(n: int, total: float, squares: float) -> Figure:
    """Return a mean with Student's interval, from the sum and the sum of squares."""
    if not n:
        return Figure(0)
    known = mean_interval(n, total, squares)
    return Figure(n, total / n, *known) if known else Figure(n, total / n)


def facet_values(store: Store) -> Mapping[str, tuple[str, ...]]:
    """Return the values that each facet has in the log, most frequent first. Raises LogError."""
    most = "from shown group by 1 order by count(*) desc, value"
    queries = {name: f"select {sql} as value {most}" for name, sql in FACETS.items()}
    queries[TAG] = "select distinct name from tag order by name"
    return {
        name: tuple(value for (value,) in store.rows((str,), f"{sql} limit {MOST}"))
        for name, sql in queries.items()
    }
