"""A figure or table of the review as a query to paste into a notebook or into the program sqlite3."""

from __future__ import annotations

from collections.abc import Sequence

from core.errors import BadValue
from core.log.store import FACETS, EpisodeFilter
from core.review.groups import group_query

HEAD = """-- {what}, of an episode log of DKPROMPT Console. Run it: sqlite3 -readonly FILE < this
-- or in a notebook: pandas.read_sql(query, sqlite3.connect(FILE))
"""
HOW = """-- A share is `x` of `x_of`, shown with Wilson's interval; a mean is `x_sum` / `x_n`, shown with
-- Student's interval, which needs `x_squares`.
"""
_TABLE = """select id as episode, datetime(began, 'unixepoch') as began, task, {facets},
    ifnull((select group_concat(name, ', ') from tag where tag.episode = nr), '') as tags,
    believed_goal, true_goal, turns, steps, failures, replans, calls, questions, overrides, contradictions,
    stops, seconds, cost
from episode
where {where}
order by episode.nr desc"""


def table_sql(which: EpisodeFilter) -> str:
    """Return the query of the table of episodes. Raises BadValue."""
    where, values = which.where()
    facets = ", ".join(f"{sql} as {name}" for name, sql in FACETS.items() if name != "task")
    query = inlined(_TABLE.format(facets=facets, where=where), values)
    return f"{HEAD.format(what='The table of episodes')}{query};\n"


def groups_sql(which: EpisodeFilter, by: Sequence[str]) -> str:
    """Return the query of the groups. Raises BadValue."""
    what = f"Episodes by {' and '.join(by)}" if by else "Episodes, all together"
    return f"{HEAD.format(what=what)}{HOW}{inlined(*group_query(which, by))};\n"


def predicates_sql(which: EpisodeFilter) -> str:
    """Return the query of how often answers were right, per model and predicate. Raises BadValue."""
    where, values = which.where()
    query = inlined(_PREDICATES.format(where=where), values)
    return f"{HEAD.format(what='Answers by model and predicate')}{query};\n"


_PREDICATES = """with some as (
    select *, ifnull((select verdict from label where id = (select max(id) from label
        where record = answer.record and place = answer.place)), operator_verdict) as said
    from answer where episode in (select nr from episode where {where}))
select model, predicate, count(*) as answers,
    sum(verdict = 'yes') as yes, sum(verdict = 'no') as no, sum(verdict = 'unknown') as unknown,
    sum(verdict <> 'unknown' and truth is not null) as truth_known,
    ifnull(sum(verdict = truth), 0) as truth_right,
    ifnull(sum(verdict <> 'unknown' and said <> 'unknown'), 0) as people_judged,
    ifnull(sum(verdict <> 'unknown' and verdict = said), 0) as people_right
from some group by model, predicate order by model, answers desc, predicate"""


def inlined(sql: str, values: Sequence[object]) -> str:
    """Return a query with its values in place of the question marks. Raises BadValue."""
    parts = sql.split("?")
    if len(parts) != len(values) + 1:
        raise BadValue("The query has a question mark of its own: it cannot be written as text.")
    return parts[0] + "".join(_literal(v) + part for v, part in zip(values, parts[1:], strict=True))


def _literal(value: object) -> str:
    if isinstance(value, int | float):
        return repr(value)
    text = str(value).replace("\0", "").replace("'", "''")
    return f"'{text}'"
