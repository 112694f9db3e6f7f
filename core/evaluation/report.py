"""The experiment as one HTML page to read or print: no script, no link, embedded charts."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Sequence
from hashlib import sha256
from html import escape
from importlib import resources

from core.evaluation import paper
from core.evaluation.charts import Point, bars, lines
from core.evaluation.comparison import REFERENCE, Agreement, Line, agreement, paired_tests
from core.evaluation.comparison import lines as table_lines
from core.evaluation.table import Results, Row
from core.vqa.answerers.profiles import symmetric_error


def page(results: Results, command: str = "") -> str:
    """Return the whole page; `command` reproduces it."""
    style = resources.files("core.log.export").joinpath("report.css").read_text()
    style += resources.files(__package__).joinpath("report.css").read_text()
    head = f'<meta charset="utf-8">{_policy(style)}<title>Trials</title><style>{style}</style>'
    rows = table_lines(results)
    body = [
        *_header(results, command),
        *_success_table(results, rows),
        *_claims(rows),
        *_costs(rows),
        *_paired(results),
        *_order(agreement(results)),
        *_charts(results, rows),
        *_lost(results),
    ]
    parts = ["<!doctype html>", f'<html lang="en"><head>{head}</head>', "<body>", *body, "</body></html>", ""]
    return "\n".join(parts)


def _policy(style: str) -> str:
    """Return a content security policy that allows only the page's own style."""
    own = base64.b64encode(sha256(style.encode()).digest()).decode()
    rules = ("default-src 'none'", f"style-src 'sha256-{own}'", "base-uri 'none'", "form-action 'none'")
    return f'<meta http-equiv="Content-Security-Policy" content="{"; ".join(rules)}">'


def _header(results: Results, command: str) -> Iterator[str]:
    design, base = results.design, results.design.base
    last = design.first_seed + design.trials - 1
    total = len(design.cells()) * design.trials
    yield "<h1>Trials</h1>"
    about = f"{len(results.outcomes)} of {total} trials are in these figures · seeds {design.first_seed} to "
    about += f"{last} · prompt {base.prompt} · domain variant {base.variant or 'default'} · robot "
    about += f"{base.robot or 'of the task'} · at most {base.max_steps} steps · nobody at the gate"
    yield f'<p class="dim">{escape(about)}</p>'
    if command:
        yield f"<p>Made by <code>{escape(command)}</code></p>"
    yield (
        "<p>Success is the simulator's verdict when the episode ended. Believed is what the method believed "
        "then, and a false claim a goal that was believed and not so. Brackets hold Wilson's 95 % interval. "
        "The paper's figures are those of its Table 5. All methods have the same luck for the same seed.</p>"
    )


def _success_table(results: Results, rows: Sequence[Line]) -> Iterator[str]:
    cells = {(r.method, r.profile, r.openness, r.task): r for r in results.rows()}
    tasks = results.design.tasks
    yield "<section><h2>Success</h2><table><tr><th>method<th>profile<th>openness"
    yield "".join(f"<th>{escape(task)}" for task in tasks) + "<th>mean of tasks<th>paper</tr>"
    for line in rows:
        yield f"<tr>{_names(line)}"
        for task in tasks:
            row = cells.get((line.method, line.profile, line.openness, task))
            yield "<td>–" if row is None else f"<td>{_share(row)}{_paper_cell(row)}"
        yield f"<td><b>{_percent(line.rate)}</b> {_interval(line.low, line.high)}"
        yield f"<td>{'–' if line.paper is None else _percent(line.paper)}</tr>"
    yield "</table></section>"


def _share(row: Row) -> str:
    return f"{row.successes}/{row.trials} {_interval(row.wilson_low, row.wilson_high)}"


def _paper_cell(row: Row) -> str:
    known = paper.counts(row.method, row.profile, row.task) if row.openness == 1 else None
    return f'<br><span class="dim">paper {known[0]}/{known[1]}</span>' if known else ""


def _claims(rows: Sequence[Line]) -> Iterator[str]:
    yield "<section><h2>True success, believed success, false claims</h2><table>"
    yield "<tr><th>method<th>profile<th>openness<th>trials<th>true<th>believed<th>false claims"
    yield "<th>false of believed</tr>"
    for line in rows:
        share = _percent(line.false_claims / line.believed) if line.believed else "–"
        yield f"<tr>{_names(line)}<td>{line.trials}<td>{line.successes}<td>{line.believed}"
        yield f"<td>{line.false_claims}<td>{share}</tr>"
    yield "</table></section>"


def _costs(rows: Sequence[Line]) -> Iterator[str]:
    yield "<section><h2>An episode costs</h2><table><tr><th>method<th>profile<th>openness<th>steps<th>calls"
    yield "<th>questions<th>plans made again<th>right answers<th>planning, ms<th>all, ms</tr>"
    for r in rows:
        right = "–" if r.accuracy is None else _percent(r.accuracy)
        yield f"<tr>{_names(r)}<td>{r.steps:.1f}<td>{r.calls:.1f}<td>{r.questions:.1f}<td>{r.replans:.1f}"
        yield f"<td>{right}<td>{1e3 * r.planning_seconds:.0f}<td>{1e3 * r.seconds:.0f}</tr>"
    yield "</table><p class='dim'>Times are of this machine and whatever else ran on it.</p></section>"


def _paired(results: Results) -> Iterator[str]:
    tests = paired_tests(results)
    if not tests:
        return
    yield f"<section><h2>{REFERENCE} against the others, pair by pair</h2><table><tr><th>method<th>profile"
    yield f"<th>openness<th>pairs<th>only {REFERENCE}<th>only the other<th>exact McNemar p</tr>"
    for t in tests:
        p = f"{t.p:.3f}" if t.p >= 0.001 else f"{t.p:.1e}"
        yield f"<tr><td>{escape(t.method)}<td>{escape(t.profile)}<td>{t.openness:g}<td>{t.pairs}"
        yield f"<td>{t.only_reference}<td>{t.only_method}<td>{p}</tr>"
    yield "</table><p class='dim'>A pair is a task and a seed. No correction for so many tests.</p></section>"


def _order(found: Agreement | None) -> Iterator[str]:
    if found is None:
        return
    yield "<section><h2>The order of the methods and the paper's</h2>"
    rank, tau = (_number(v) for v in (found.spearman, found.kendall))
    yield f"<p>Over {len(found.methods)} methods with {paper.MAIN_PROFILE}: Spearman {rank}, Kendall {tau}. "
    yield f"The methods other than {REFERENCE}, to which the profile was fitted, are "
    yield f"{100 * found.mean_difference:.1f} points away from the paper on average.</p></section>"


def _charts(results: Results, rows: Sequence[Line]) -> Iterator[str]:
    at_one = [r for r in rows if r.openness == 1] or list(rows)
    yield "<section><h2>Success by method</h2>"
    named = [(f"{r.method}, {r.profile}", r.rate, r.low, r.high, r.paper) for r in at_one]
    yield bars("success by method", named) + "<p class='dim'>The upright mark is the paper's figure.</p>"
    yield "</section>"
    spread = results.design.openness
    if len(spread) > 1:
        series: dict[str, list[Point]] = {}
        for r in rows:
            series.setdefault(f"{r.method}, {r.profile}", []).append((r.openness, r.rate))
        yield "<section><h2>Success against openness</h2>"
        yield lines("success against openness", "openness", series, (min(spread), max(spread))) + "</section>"
    known: dict[str, list[Point]] = {}
    for r in at_one:
        if (error := symmetric_error(r.profile)) is not None:
            known.setdefault(r.method, []).append((1 - error, r.rate))
    levels = {x for points in known.values() for x, _ in points}
    if len(levels) > 1:
        yield "<section><h2>Success against the accuracy of the answers</h2>"
        yield lines(
            "success against accuracy", "answers right about what is seen", known, (min(levels), max(levels))
        )
        yield "</section>"
        return
    accuracy: dict[str, list[Point]] = {}
    for r in at_one:
        if r.accuracy is not None:
            accuracy.setdefault(r.method, []).append((r.accuracy, r.rate))
    if len({r.profile for r in at_one}) > 1 and accuracy:
        yield "<section><h2>Success against the share of right answers</h2>"
        yield lines("success against answers", "right answers", accuracy, (0.5, 1.0)) + "</section>"


def _lost(results: Results) -> Iterator[str]:
    if not results.lost:
        return
    yield f"<section><h2>Lost: {len(results.lost)}</h2><ul>"
    for trial, why in list(results.lost.items())[:20]:
        yield f"<li>{escape(f'{trial.cell.method}, {trial.cell.task}, seed {trial.seed}: {why}')}"
    yield "</ul></section>"


def _names(line: Line) -> str:
    return f"<td>{escape(line.method)}<td>{escape(line.profile)}<td>{line.openness:g}"


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def _interval(low: float, high: float) -> str:
    return f'<span class="dim">[{100 * low:.0f}, {100 * high:.0f}]</span>'


def _number(value: float | None) -> str:
    return "not defined" if value is None else f"{value:.2f}"
