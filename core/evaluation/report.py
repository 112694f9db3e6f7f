"""The experiment as one HTML page to read or print: no script, no link, embedded charts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from markupsafe import Markup

from core.evaluation import paper
from core.evaluation.comparison import (
    FAR,
    REFERENCE,
    ComparisonRow,
    RankAgreement,
    comparison_rows,
    differences,
    paired_tests,
    rank_agreement,
)
from core.evaluation.figures import figures
from core.evaluation.table import CellResult, Results
from core.text import html_page
from core.text.html_page import Section, dim, joined, markup, table

_LINE = ("method", "profile", "openness")


def report_page(results: Results, command: str = "") -> str:
    """Return the whole page; `command` reproduces it."""
    rows = comparison_rows(results)
    sections = (
        *_charts(results, rows),
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


def _success_table(results: Results, rows: Sequence[ComparisonRow]) -> Iterator[Section]:
    known = {(r.method, r.profile, r.openness, r.task): r for r in results.rows()}
    tasks = results.design.tasks

    def cells(line: ComparisonRow) -> Iterator[object]:
        yield from (line.method, line.profile, f"{line.openness:g}")
        yield from (_share(known.get((line.method, line.profile, line.openness, task))) for task in tasks)
        yield markup("<b>{}</b> {}", _percent(line.rate), _interval(line.low, line.high))
        yield "–" if line.paper is None else _percent(line.paper)

    heads = (*_LINE, *tasks, "mean of tasks", "paper")
    yield Section("Success", table(heads, map(cells, rows)))


def _share(row: CellResult | None) -> Markup | str:
    if row is None:
        return "–"
    share = markup("{}/{} {}", row.successes, row.trials, _interval(row.wilson_low, row.wilson_high))
    known = paper.counts(row.method, row.profile, row.task) if row.openness == 1 else None
    return share + markup("<br>{}", dim(f"paper {known[0]}/{known[1]}")) if known else share


def _claims(rows: Sequence[ComparisonRow]) -> Iterator[Section]:
    counts = ("trials", "true", "believed", "false claims")
    heads = (*_LINE, *counts, "false of believed", "claims held", "claims right")
    cells = (
        (r.method, r.profile, f"{r.openness:g}", r.trials, r.successes, r.believed, r.false_claims,
         _percent(r.false_claims / r.believed) if r.believed else "–",
         *("–" if x is None else _percent(x) for x in (r.mean_claim, r.claims_right)))
        for r in rows
    )  # fmt: skip
    yield Section("True success, believed success, false claims", table(heads, cells))


def _situations(rows: Sequence[ComparisonRow]) -> Iterator[Section]:
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


def _costs(rows: Sequence[ComparisonRow]) -> Iterator[Section]:
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


def _charts(results: Results, rows: Sequence[ComparisonRow]) -> Iterator[Section]:
    for heading, drawn, note in figures(results, rows):
        yield Section(heading, markup('<div class="scroll">{}</div>', drawn), note)


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
