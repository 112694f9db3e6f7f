"""The experiment as one HTML page to read or print: no script, no link, embedded charts.

True success, believed success and false claims always stand beside each other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from markupsafe import Markup

from core.evaluation import paper
from core.evaluation.comparison import (
    FAR,
    REFERENCE,
    RankAgreement,
    differences,
    paired_tests,
    rank_agreement,
)
from core.evaluation.table import ResultRow, Results
from core.text import html_page
from core.text.html_page import Section, dim, joined, markup, table
from core.text.plural import plural
from core.text.svg_charts import Bar, Point, grouped_bars, line_chart, outcome_bars
from core.vqa.answerers.profiles import symmetric_error

_LINE = ("method", "profile", "openness")


def report_page(results: Results, command: str = "") -> str:
    """Return the whole page; `command` reproduces it."""
    rows = results.rows_over_tasks()
    sections = (
        *(
            Section(heading, markup('<div class="scroll">{}</div>', drawn), note)
            for heading, drawn, note in figures(results, rows)
        ),
        *_success_table(results, rows),
        *_claims(rows),
        *_situations(rows),
        *_costs(rows),
        *_paired(results),
        *_order(rank_agreement(results)),
        *_differences(results),
        *_lost(results),
    )
    return html_page.page(
        "evaluation/report.html",
        "Trials",
        wide=True,
        results=results,
        design=results.design,
        base=results.design.base,
        command=command,
        sections=sections,
    )


def _success_table(results: Results, rows: Sequence[ResultRow]) -> Iterator[Section]:
    known = {(r.method, r.profile, r.openness, r.task): r for r in results.rows()}
    tasks = results.design.tasks

    def cells(line: ResultRow) -> Iterator[object]:
        yield from (line.method, line.profile, f"{line.openness:g}")
        yield from (_share(known.get((line.method, line.profile, line.openness, task))) for task in tasks)
        yield markup("<b>{}</b> {}", _percent(line.rate), _interval(line.low, line.high))
        yield "–" if line.paper is None else _percent(line.paper)

    heads = (*_LINE, *tasks, "mean of tasks", "paper")
    yield Section("Success", table(heads, map(cells, rows)))


def _share(row: ResultRow | None) -> Markup | str:
    if row is None:
        return "–"
    share = markup("{}/{} {}", row.successes, row.trials, _interval(row.low, row.high))
    known = paper.counts(row.method, row.profile, row.task) if row.openness == 1 else None
    return share + markup("<br>{}", dim(f"paper {known[0]}/{known[1]}")) if known else share


def _claims(rows: Sequence[ResultRow]) -> Iterator[Section]:
    counts = ("trials", "true", "believed", "false claims")
    heads = (*_LINE, *counts, "false of believed", "claims held", "claims right")
    cells = (
        (r.method, r.profile, f"{r.openness:g}", r.trials, r.successes, r.believed, r.false_claims,
         _percent(r.false_claims / r.believed) if r.believed else "–",
         *("–" if x is None else _percent(x) for x in (r.mean_claim, r.claims_right)))
        for r in rows
    )  # fmt: skip
    yield Section("True success, believed success, false claims", table(heads, cells))


def _situations(rows: Sequence[ResultRow]) -> Iterator[Section]:
    """Yield the two rows of the COWP paper's Table 4, where something unusual came between."""
    if not any(r.situations for r in rows):
        return
    heads = (*_LINE, "completed", "paper", "situations", "handled", "handling", "paper")
    cells = (
        (r.method, r.profile, f"{r.openness:g}", _percent(r.rate), _printed(r.method, 0),
         r.situations, r.handled, "–" if r.handling is None else _percent(r.handling), _printed(r.method, 1))
        for r in rows
    )  # fmt: skip
    note = "A situation is handled if the goal was truly reached. The paper's figures are its Table 4."
    yield Section("Situations", table(heads, cells), note)


def _printed(method: str, place: int) -> str:
    known = paper.COWP_TABLE_4.get(method)
    return "–" if known is None else f"{known[place]:.1f} %"


def _costs(rows: Sequence[ResultRow]) -> Iterator[Section]:
    counts = ("steps", "calls", "questions", "plans made again")
    heads = (*_LINE, *counts, "right answers", "planning, ms", "all, ms")
    cells = (
        (r.method, r.profile, f"{r.openness:g}",
         *(f"{count:.1f}" for count in (r.steps, r.calls, r.questions, r.replans)),
         "–" if r.accuracy is None else _percent(r.accuracy),
         f"{1e3 * r.planning_seconds:.0f}", f"{1e3 * r.seconds:.0f}")
        for r in rows
    )  # fmt: skip
    note = "Times are of this machine and whatever else ran on it."
    yield Section("An episode costs", table(heads, cells), note)


def _paired(results: Results) -> Iterator[Section]:
    tests = paired_tests(results)
    if not tests:
        return
    heads = (*_LINE, "pairs", f"only {REFERENCE}", "only the other", "exact McNemar p")
    cells = (
        (t.method, t.profile, f"{t.openness:g}", t.pairs, t.only_reference, t.only_method,
         _chance(t.p))
        for t in tests
    )  # fmt: skip
    note = "A pair is a task and a seed. No correction for so many tests."
    yield Section(f"{REFERENCE} against the others, pair by pair", table(heads, cells), note)


def _order(found: RankAgreement | None) -> Iterator[Section]:
    if found is None:
        return
    rank, tau = (_number(v) for v in (found.spearman, found.kendall))
    words = f"Over {len(found.methods)} methods with {paper.MAIN_PROFILE}: Spearman {rank}, Kendall {tau}. "
    words += f"The methods other than {REFERENCE}, to which the profile was fitted, are "
    words += f"{100 * found.mean_difference:.1f} points away from the paper on average."
    yield Section("The order of the methods and the paper's", markup("<p>{}</p>", words))


def _differences(results: Results) -> Iterator[Section]:
    far = differences(results)
    if far:
        heads = ("method", "profile", "task", "ours", "paper", "points", "Fisher's exact p")
        cells = (
            (d.cell.method, d.cell.profile, d.cell.task, "/".join(map(str, d.ours)),
             "/".join(map(str, d.theirs)), f"{d.points:+.0f}", _chance(d.p))
            for d in far
        )  # fmt: skip
        yield Section(f"{FAR:.0f} points or more from the paper", table(heads, cells))


def _lost(results: Results) -> Iterator[Section]:
    if results.lost:
        trials = list(results.lost.items())[:20]
        lost = (
            markup("<li>{}", f"{t.cell.method}, {t.cell.task}, seed {t.seed}: {reason}")
            for t, reason in trials
        )
        yield Section(f"Lost: {len(results.lost)}", markup("<ul>{}</ul>", joined(lost)))


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def _interval(low: float, high: float) -> Markup:
    return dim(f"[{100 * low:.0f}, {100 * high:.0f}]")


def _chance(p: float) -> str:
    return f"{p:.3f}" if p >= 0.001 else f"{p:.1e}"


def _number(value: float | None) -> str:
    return "not defined" if value is None else f"{value:.2f}"


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
OUTCOMES: Mapping[str, Callable[[ResultRow], float]] = {
    "true success": lambda line: line.rate,
    "believed success": lambda line: line.believed / line.trials,
    "false claims": lambda line: line.false_claims / line.trials,
}
Figure = tuple[str, Markup, str]  # heading, chart, note


def figures(results: Results, rows: Sequence[ResultRow]) -> Iterator[Figure]:
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


def _outcomes(rows: Sequence[ResultRow]) -> Figure:
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
    results: Results, rows: Sequence[ResultRow], members: Sequence[tuple[str, str]]
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
            bars.append(Bar(row.rate, row.low, row.high, share) if row else None)
        series[name] = [*bars, Bar(mean.rate, mean.low, mean.high, mean.paper)]
    return series


def _against_answers(rows: Sequence[ResultRow]) -> Iterator[Figure]:
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


def _calibration(rows: Sequence[ResultRow]) -> Iterator[Figure]:
    """Yield how often the facts that a method asked about were so, against how likely it held them."""
    series = {
        f"{r.method}, {r.profile}, {r.openness:g}": [(b.mean, b.share) for b in r.belief if b.facts]
        for r in rows
        if r.belief_error is not None
    }
    if not series:
        return
    drawn = line_chart("true against believed", "believed", series, (0, 1), "as believed")
    errors = [
        f"{name}: {100 * (r.belief_error or 0):.1f} %, {plural(facts, 'fact')}"
        for r in rows
        if (name := f"{r.method}, {r.profile}, {r.openness:g}") in series
        and (facts := sum(b.facts for b in r.belief))
    ]
    note = "Of the facts that it asked about, before the answer. Mean distance: " + "; ".join(errors) + "."
    yield "How sure it was, and how often rightly", drawn, note


def _sweep(across: str, points: Sequence[tuple[str, float, ResultRow]], span: tuple[float, float]) -> Markup:
    """Return a chart for each of the three outcomes."""
    drawn = []
    for outcome, share in OUTCOMES.items():
        series: dict[str, list[Point]] = {}
        for name, x, line in points:
            series.setdefault(name, []).append((x, share(line)))
        chart = line_chart(f"{outcome} against {across}", across, series, span)
        drawn.append(markup("<h3>{}</h3>{}", outcome.capitalize(), chart))
    return joined(drawn)
