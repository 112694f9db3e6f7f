"""The charts of the report: the methods side by side, the paper's figures, and what a sweep shows.

True success, believed success and false claims always stand beside each other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from markupsafe import Markup

from core.evaluation import paper
from core.evaluation.belief_calibration import calibration_error
from core.evaluation.comparison import REFERENCE, ComparisonRow
from core.evaluation.table import Results
from core.text.html_page import joined, markup
from core.text.plural import plural
from core.text.svg_charts import Bar, Point, grouped_bars, line_chart, outcome_bars
from core.vqa.answerers.profiles import symmetric_error

MOST_BARS = 24  # a sweep has more of them than can be read, and has its lines
PAPERS = {  # of the paper, the methods in them
    "The paper's Figure 3: against the baselines": tuple(
        (method, paper.MAIN_PROFILE)
        for method in (REFERENCE, "vlm-planner", "classical", "aff-qa", "suc-qa", "suc-aff-qa")
    ),
    "The paper's Table 4: effects and preconditions": tuple(
        (method, paper.MAIN_PROFILE) for method in (REFERENCE, "eff-only", "pre-only")
    ),
    "The paper's Figure 4: other models": tuple(
        (REFERENCE, profile) for profile in (paper.MAIN_PROFILE, "paper-gemini", "paper-claude")
    ),
}
OUTCOMES: Mapping[str, Callable[[ComparisonRow], float]] = {
    "true success": lambda line: line.rate,
    "believed success": lambda line: line.believed / line.trials,
    "false claims": lambda line: line.false_claims / line.trials,
}
Figure = tuple[str, Markup, str]  # heading, chart, note


def figures(results: Results, rows: Sequence[ComparisonRow]) -> Iterator[Figure]:
    at_one = [r for r in rows if r.openness == 1] or list(rows)
    if len(at_one) <= MOST_BARS:
        yield _outcomes(at_one)
    for heading, members in PAPERS.items():
        series = _as_in_the_paper(results, rows, members)
        if len(series) > 1:
            note = "The thick mark is the paper's figure, the thin line our 95 % interval."
            groups = [task.replace("_", " ") for task in results.design.tasks]
            yield heading, grouped_bars(heading, [*groups, "mean"], series), note
    spread = results.design.openness
    if len(spread) > 1:
        points = [(f"{r.method}, {r.profile}", r.openness, r) for r in rows]
        yield "Against openness", _sweep("openness", points, (min(spread), max(spread))), ""
    yield from _against_answers(at_one)
    yield from _calibration(rows)


def _outcomes(rows: Sequence[ComparisonRow]) -> Figure:
    one = len({r.openness for r in rows}) == 1
    bars = [
        (
            f"{r.method}, {r.profile}" + ("" if one else f", {r.openness:g}"),
            Bar(r.rate, r.low, r.high, r.paper),
            OUTCOMES["believed success"](r),
            OUTCOMES["false claims"](r),
        )
        for r in rows
    ]
    note = "Thick: true success with its interval. Thin: believed success, and false claims below it."
    if any(r.paper is not None for r in rows):
        note += " The upright mark is the paper's figure."
    return "By method", outcome_bars("outcomes by method", bars), note


def _as_in_the_paper(
    results: Results, rows: Sequence[ComparisonRow], members: Sequence[tuple[str, str]]
) -> dict[str, list[Bar | None]]:
    """Return a bar for each task and one for the mean, of those members that were run at openness 1."""
    cells = {(r.method, r.profile, r.task): r for r in results.rows() if r.openness == 1}
    means = {(r.method, r.profile): r for r in rows if r.openness == 1}
    series: dict[str, list[Bar | None]] = {}
    for method, profile in members:
        if (mean := means.get((method, profile))) is None:
            continue
        name = method if len({method for method, _ in members}) > 1 else profile
        bars: list[Bar | None] = []
        for task in results.design.tasks:
            row, known = cells.get((method, profile, task)), paper.counts(method, profile, task)
            share = known[0] / known[1] if known else None
            bars.append(Bar(row.rate, row.wilson_low, row.wilson_high, share) if row else None)
        series[name] = [*bars, Bar(mean.rate, mean.low, mean.high, mean.paper)]
    return series


def _against_answers(rows: Sequence[ComparisonRow]) -> Iterator[Figure]:
    errors = [(r, symmetric_error(r.profile)) for r in rows]
    several = len({r.openness for r in rows}) > 1
    known = [
        (f"{r.method}, openness {r.openness:g}" if several else r.method, 1 - error, r)
        for r, error in errors
        if error is not None
    ]
    levels = {x for _, x, _ in known}
    if len(levels) > 1:
        about = "answers right about what is seen"
        yield "Against the accuracy of the answers", _sweep(about, known, (min(levels), max(levels))), ""
        return
    measured = [(r.method, r.accuracy, r) for r in rows if r.accuracy is not None]
    if len({r.profile for r in rows}) > 1 and measured:
        yield "Against the share of right answers", _sweep("right answers", measured, (0.0, 1.0)), ""


def _calibration(rows: Sequence[ComparisonRow]) -> Iterator[Figure]:
    """Yield how often the facts that a method asked about were so, against how likely it held them."""
    series = {
        f"{r.method}, {r.profile}, {r.openness:g}": [(b.mean, b.share) for b in r.belief if b.facts]
        for r in rows
        if calibration_error(r.belief) is not None
    }
    if not series:
        return
    drawn = line_chart(
        "true against believed", "believed", {"as believed": [(0, 0), (1, 1)], **series}, (0, 1)
    )
    errors = [
        f"{name}: {100 * (calibration_error(r.belief) or 0):.1f} %, {plural(facts, 'fact')}"
        for r in rows
        if (name := f"{r.method}, {r.profile}, {r.openness:g}") in series
        and (facts := sum(b.facts for b in r.belief))
    ]
    note = "Of the facts that it asked about, before the answer. Mean distance: " + "; ".join(errors) + "."
    yield "How sure it was, and how often rightly", drawn, note


def _sweep(
    across: str, points: Sequence[tuple[str, float, ComparisonRow]], span: tuple[float, float]
) -> Markup:
    """Return a chart for each of the three outcomes."""
    drawn = []
    for outcome, share in OUTCOMES.items():
        series: dict[str, list[Point]] = {}
        for name, x, line in points:
            series.setdefault(name, []).append((x, share(line)))
        chart = line_chart(f"{outcome} against {across}", across, series, span)
        drawn.append(markup("<h3>{}</h3>{}", outcome.capitalize(), chart))
    return joined(drawn)
