"""The columns of the table of episodes, and how their cells read. Pure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from app.presentation.formatting import clock, money
from app.review.episode_list.episode_list_model import date_text, outcome
from core.log.store import EpisodeSummary
from core.review.catalog import EpisodeListEntry


@dataclass(frozen=True)
class Column:
    """`order` is the column of the log by which a click on its head sorts; "": it does not sort."""

    title: str
    width: int  # px
    cell: Callable[[EpisodeListEntry], str]
    order: str = ""
    number: bool = False  # on the right


def _of(name: str) -> Callable[[EpisodeListEntry], str]:
    def cell(entry: EpisodeListEntry) -> str:
        value = getattr(entry.summary, name)
        return "" if value is None else str(value)

    return cell


def _tags(entry: EpisodeListEntry) -> str:
    return ", ".join((*(("fork",) if entry.summary.parent else ()), *entry.tags))


def _goal(entry: EpisodeListEntry) -> str:
    true = entry.summary.true_goal
    return "" if true is None else "yes" if true else "no"


def _seconds(s: EpisodeSummary) -> str:
    return "" if s.seconds is None else clock(s.seconds)


COLUMNS = (
    Column("task", 128, lambda e: e.summary.task.replace("_", " "), "task"),
    Column("result", 132, lambda e: outcome(e.summary)[1], "result"),
    Column("model", 172, _of("answerer"), "answerer"),
    Column("robot", 70, _of("robot"), "robot"),
    Column("method", 80, _of("method"), "method"),
    Column("seed", 46, _of("seed"), "seed", True),
    Column("tags", 84, _tags),
    Column("goal true", 62, _goal, "true_goal"),
    Column("steps", 46, _of("steps"), "steps", True),
    Column("failed", 46, _of("failures"), "failures", True),
    Column("re-plans", 60, _of("replans"), "replans", True),
    Column("questions", 68, _of("questions"), "questions", True),
    Column("by you", 50, _of("overrides"), "overrides", True),
    Column("contradictions", 96, _of("contradictions"), "contradictions", True),
    Column("stops", 44, _of("stops"), "stops", True),
    Column("length", 54, lambda e: _seconds(e.summary), "seconds", True),
    Column("cost", 64, lambda e: money(e.summary.cost), "cost", True),
    Column("began", 118, lambda e: date_text(e.summary.began), "began"),
)
