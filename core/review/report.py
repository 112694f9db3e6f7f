"""Write the figures of many logged episodes as one HTML page to read or print."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import reduce
from math import isnan
from operator import add
from pathlib import Path

from markupsafe import Markup

from core.data_file import write_text
from core.intervals import wilson_interval
from core.log.store import RECORDED, EpisodeFilter, Store
from core.review import catalog
from core.review.groups import GROUPINGS, SHARES, WORDS, EpisodeGroup, Figure, groups
from core.review.statistics import (
    WINDOW,
    Accuracy,
    PredicateStatistics,
    belief_reliability,
    predicate_statistics,
    running_shares,
)
from core.state.causes import result_words
from core.text.chart_files import write_charts
from core.text.html_page import Section, dim, joined, markup, page, table
from core.text.svg_charts import Point, line_chart

MODELS = 8  # that are told apart
ROWS = 1000  # episodes in the table
POINTS = 50  # of a line
ANSWERS = (
    *("model", "predicate", "answers", "yes", "no", "unknown", "right, by people", "by the simulator"),
    *("calibration error", "s/answer", "overrides", "undone"),
)
FEW = 10  # judged answers below which a share is only hinted at
COLUMNS = (
    *("episode", "began", "task", "result", "goal true", "model", "robot", "method", "seed", "tags", "steps"),
    *("failed", "re-plans", "questions", "overrides", "contradictions", "stops", "seconds", "cost, $"),
)


def export(store: Store, which: EpisodeFilter, to: Path) -> int:
    """Write the report, its charts beside it; return how many episodes it covers. Raises ConsoleError."""
    made = report(store, which)
    write_text(to, made)
    write_charts(made, to)
    return store.count(which)


def report(store: Store, which: EpisodeFilter) -> str:
    """Return the whole page; each model has rows and lines of its own. Raises BadValue, LogError."""
    models = groups(store, which, ["model"])[:MODELS]
    names = [name for (name,) in (group.values for group in models)]
    of = {name: replace(which, facets=(*which.facets, ("model", name))) for name in names}
    answers = {name: predicate_statistics(store, each) for name, each in of.items()}
    sections = (
        Section("By model", _groups(["model"], models)),
        *_by_other_facets(store, which),
        *_courses({name: running_shares(store, each) for name, each in of.items()}),
        *_answers(answers),
        *_calibration(store, of, answers),
        _episodes(store, which),
    )
    return page(
        "review/report.html",
        "Episodes",
        wide=True,
        episodes=store.count(which),
        ended=sum(group.episodes for group in models),
        made=f"{datetime.now():%Y-%m-%d %H:%M}",
        sections=sections,
    )


def _groups(by: Sequence[str], found: Sequence[EpisodeGroup]) -> Markup:
    rows = (
        (
            *(value or "none" for value in group.values),
            group.episodes,
            *(_figure(name, group.figures[name]) for name in WORDS),
        )
        for group in found
    )
    return table((*by, "episodes", *WORDS.values()), rows)


def _by_other_facets(store: Store, which: EpisodeFilter) -> Iterator[Section]:
    """Yield a table for each facet in which the episodes differ."""
    for name in (name for name in GROUPINGS if name not in ("model", "result")):
        found = groups(store, which, ["model", name])
        if len({group.values[1] for group in found}) > 1:
            rows = sorted(found, key=lambda group: group.values)
            yield Section(f"By model and {name}", _groups(["model", name], rows))


def _figure(name: str, figure: Figure) -> Markup | str:
    """Return a figure and its interval, such as 33 % [10, 70] or 7.5 [6.1, 8.9]."""
    if figure.value is None:
        return "–"
    scale, unit = (100.0, " %") if name in SHARES else (1.0, "")
    digits = 0 if unit else 3 if name == "cost" else 1
    value = f"{scale * figure.value:.{digits}f}{unit}"
    if figure.low is None or figure.high is None:
        return value
    low = scale * max(0.0, figure.low)  # nothing of this can be less
    return markup("{} {}", value, dim(f"[{low:.{digits}f}, {scale * figure.high:.{digits}f}]"))


def _courses(courses: Mapping[str, Mapping[str, Sequence[float]]]) -> Iterator[Section]:
    """Yield how the outcomes changed from episode to episode, a line for each model."""
    longest = max((len(found["true_goal"]) for found in courses.values()), default=0)
    if longest < 2:
        return
    charts = []
    for outcome, (words, _, _) in SHARES.items():
        lines = {model or "none": _thinned(found[outcome]) for model, found in courses.items()}
        charts.append(
            markup("<h3>{}</h3>{}", words.capitalize(), line_chart(words, "episode", lines, (1, longest)))
        )
    note = f"Each point is the mean of the last {WINDOW} episodes of that model, as they were recorded."
    yield Section("From episode to episode", joined(charts), note)


def _thinned(means: Sequence[float]) -> list[Point]:
    every = max(1, len(means) // POINTS)
    last = len(means)
    return [(i, m) for i, m in enumerate(means, 1) if not isnan(m) and (i % every == 0 or i == last)]


def _answers(answers: Mapping[str, Sequence[PredicateStatistics]]) -> Iterator[Section]:
    rows = (
        (model or "none", x.predicate, x.answers, x.yes, x.no, x.unknown,
         _share(x.judged_by_people), _share(x.judged_by_simulator),
         _error(x.judged_by_people, x.judged_by_simulator),
         "–" if x.mean_operator_seconds is None else f"{x.mean_operator_seconds:.1f}",
         x.overrides, x.undone)
        for model, found in answers.items() for x in found
    )  # fmt: skip
    note = (
        "People: a reviewer's label, else what the operator let count. “Unknown” is neither right nor wrong. "
        f"Dimmed: fewer than {FEW} judged. Calibration error: how far confidence and share are apart (ECE), "
        "by people where they judged, else by the simulator."
    )
    if any(answers.values()):
        yield Section("Answers per predicate", table(ANSWERS, rows), note)


def _share(found: Accuracy) -> Markup | str:
    if found.fraction is None:
        return "–"
    low, high = wilson_interval(found.correct, found.total)
    share = f"{100 * found.fraction:.0f} %"
    interval = dim(f"[{100 * low:.0f}, {100 * high:.0f}] of {found.total}")
    return markup("{} {}", dim(share) if found.total < FEW else share, interval)


def _error(*judged: Accuracy) -> str:
    return next((f"{100 * error:.0f} %" for found in judged if (error := found.error) is not None), "–")


def _calibration(
    store: Store, of: Mapping[str, EpisodeFilter], answers: Mapping[str, Sequence[PredicateStatistics]]
) -> Iterator[Section]:
    """Yield how often answers were right by their confidence, and facts so by their probability."""
    for heading, found in (
        ("How sure the models were of their answers, and how often rightly", answers),
        (
            "How sure the methods were of facts before they asked, and how often rightly",
            {name: belief_reliability(store, each) for name, each in of.items()},
        ),
    ):
        lines: dict[str, list[Point]] = {}
        for model, rows in found.items():
            for judge in ("people", "simulator"):
                every = reduce(add, (getattr(row, f"judged_by_{judge}") for row in rows), Accuracy())
                if every.curve:
                    lines[f"{model or 'none'}, by {judge}"] = every.curve
        if lines:
            yield Section(heading, line_chart(heading, "sure", lines, (0, 1), "calibrated"))


def _episodes(store: Store, which: EpisodeFilter) -> Section:
    def row(entry: catalog.EpisodeListEntry) -> Iterator[object]:
        s = entry.summary
        yield from (s.episode, f"{datetime.fromtimestamp(s.began):%Y-%m-%d %H:%M}", s.task)
        yield from (result_words(s.result, s.true_goal), {None: "–", True: "yes", False: "no"}[s.true_goal])
        yield from (s.answerer, s.robot, s.method, s.seed)
        yield ", ".join((*(("fork",) if s.parent else ()), *entry.tags))
        yield from (s.steps, s.failures, s.replans, s.questions, s.overrides, s.contradictions, s.stops)
        yield "" if s.seconds is None else f"{s.seconds:.1f}"
        yield "" if s.cost is None else f"{s.cost:.4f}"

    entries = catalog.page(store, which, RECORDED, True, ROWS, 0)
    rows = (["" if cell is None else cell for cell in row(entry)] for entry in entries)
    more = f"The latest {ROWS}; `episodes export --to all.csv` has all." if len(entries) == ROWS else ""
    return Section("Episodes", table(COLUMNS, rows), more)
