"""The report and the files: the same figures as the rows, and statistics that are known."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import replace
from xml.etree import ElementTree

import pytest

from core.config import Settings
from core.evaluation import paper
from core.evaluation.comparison import (
    differences,
    fisher,
    kendall,
    mcnemar,
    paired_tests,
    rank_agreement,
    spearman,
)
from core.evaluation.outcome import TrialOutcome
from core.evaluation.report import report_page
from core.evaluation.table import Results, as_csv, calibration
from core.evaluation.trial import Design, Trial
from core.text.chart_files import chart_files
from core.vqa.answerers.profiles import symmetric_name

NEEDED = {"method", "task", "profile", "openness", "trials", "successes", "believed", "false_claims"} | {
    f"mean_{what}" for what in ("steps", "calls", "questions", "replans")
}
SUCCESSES = {"dkprompt": 7, "eff-only": 5, "classical": 2}  # of 10 seeds, in each task


def outcome(reached: bool, believed: bool) -> TrialOutcome:
    return TrialOutcome("succeeded", "", believed, reached, 8, 3, 12, 1, 0, 10, 9, 0.01, 0.1)


def test_that_a_belief_at_the_end_of_the_steps_is_no_claim() -> None:
    assert outcome(False, True).false_claim
    assert not replace(outcome(False, True), result="step limit").false_claim


def test_that_a_row_says_how_sure_the_claims_were_and_how_many_were_right() -> None:
    right, wrong = (replace(outcome(so, True), probability=p) for so, p in ((True, 0.98), (False, 0.9)))
    gave_up = replace(wrong, result="step limit", probability=0.2)
    assert calibration((right, right, right, wrong, gave_up)) == (pytest.approx(0.96), 0.75)
    assert calibration((outcome(True, True),)) == (None, None)


@pytest.fixture
def results() -> Results:
    design = Design(tuple(SUCCESSES), paper.TASKS, ("paper-gpt4",), trials=10, base=Settings(pictures=False))
    found: dict[Trial, TrialOutcome] = {}
    for trial in design.all_trials():
        reached = trial.seed < SUCCESSES[trial.cell.method]
        found[trial] = outcome(reached, reached or trial.seed == 9)
    return Results(design, found)


def test_that_the_rows_have_the_promised_keys_and_count_the_three(results: Results) -> None:
    rows = results.as_json()
    assert len(rows) == 15 and set(rows[0]) >= NEEDED
    first = rows[0]
    assert (first["trials"], first["successes"], first["believed"], first["false_claims"]) == (10, 7, 8, 1)
    assert (first["mean_steps"], first["mean_questions"], first["accuracy"]) == (8.0, 12.0, 0.9)
    assert first["wilson_low"] == pytest.approx(0.397, abs=0.001)


def test_that_the_page_shows_the_rows_figures_and_the_papers(results: Results) -> None:
    text = report_page(results, "dkprompt bench").replace("\n", "")
    rows = results.as_json()
    shown = re.findall(r'<td>(\d+)/(\d+) <span class="dim">\[(\d+), (\d+)\]', text)
    wanted = [
        (r["successes"], r["trials"], round(100 * r["wilson_low"]), round(100 * r["wilson_high"]))
        for r in rows
    ]
    assert [tuple(map(int, cell)) for cell in shown] == wanted
    claims = re.findall(r"<td>(\d+)<td>(\d+)<td>(\d+)<td>(\d+)<td>[\d.]+ %<td>–<td>–</tr>", text)
    for number, method in enumerate(SUCCESSES):
        mine = [r for r in rows if r["method"] == method]
        sums = [sum(r[key] for r in mine) for key in ("trials", "successes", "believed", "false_claims")]
        assert list(map(int, claims[number])) == sums
    assert "paper 12/18" in text and "<td>66.5 %" in text and "<td>17.1 %" in text


def test_that_the_page_holds_no_script_and_says_so(results: Results) -> None:
    text = report_page(results, "<script>alert(1)</script>")
    assert "<script" not in text and "default-src 'none'" in text


def test_that_each_chart_is_a_light_file_of_its_own_with_its_typeface(results: Results) -> None:
    page = report_page(results)
    files = dict(chart_files(page))
    assert len(files) == page.count('class="chart"') == 3
    for name, svg in files.items():
        (root,) = ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}svg")
        assert re.fullmatch(r"\d\d-[a-z0-9-]+[.]svg", name) and root.get("viewBox")
        assert "font/otf" in svg and "var(" not in svg and "light-dark" not in svg


def test_that_the_csv_is_the_json(results: Results) -> None:
    rows = list(csv.DictReader(io.StringIO(as_csv(results.as_json()))))
    for read, row in zip(rows, results.as_json(), strict=True):
        assert read == {key: "" if value is None else str(value) for key, value in row.items()}


def test_that_methods_are_compared_pair_by_pair_and_with_the_papers_order(results: Results) -> None:
    eff, classical = paired_tests(results)
    assert (eff.pairs, eff.only_reference, eff.only_method) == (50, 10, 0)
    assert eff.p == pytest.approx(2 / 2**10)
    assert classical.only_reference == 25
    found = rank_agreement(results)
    assert found is not None and (found.spearman, found.kendall) == (1.0, 1.0)
    assert found.mean_difference == pytest.approx((53.0 - 50.0 + 20.0 - 17.1) / 200)
    assert [line.rate for line in results.rows_over_tasks()] == [0.7, 0.5, 0.2]


def test_that_what_is_far_from_the_paper_is_listed(results: Results) -> None:
    first = differences(results)[0]
    assert (first.cell.method, first.cell.task) == ("eff-only", "bring_in_bottles")
    assert (first.ours, first.theirs, round(first.points)) == ((5, 10), (15, 16), -44)
    assert all(abs(d.points) >= 20 for d in differences(results))
    assert "<td>5/10<td>15/16<td>-44<td>" in report_page(results)


def test_that_the_paper_is_drawn_beside_ours(results: Results) -> None:
    figures = dict(re.findall(r"<h2>(.*?)</h2>(.*?)</section>", report_page(results), re.S))
    baselines, ablation = (figures[f"The paper&#39;s {n}"] for n in (
        "Figure 3: against the baselines", "Table 4: effects and preconditions"))  # fmt: skip
    assert baselines.count('class="paper"') == ablation.count('class="paper"') == 2 * (5 + 1)
    assert "dkprompt, boil water: 70.0 %, interval 40 to 89, paper 66.7" in baselines
    assert 'class="false"' in figures["By method"] and "false claims 10.0" in figures["By method"]
    assert not any("Figure 4" in head for head in figures)  # one of its profiles is no comparison


def test_that_the_statistics_are_the_known_ones() -> None:
    assert mcnemar(0, 0) == 1.0 and mcnemar(5, 5) == 1.0
    assert mcnemar(1, 9) == pytest.approx(0.021484375)
    assert mcnemar(3000, 2000) < 1e-30
    assert fisher((3, 4), (1, 4)) == pytest.approx(0.4857143)  # the lady who tasted tea
    assert fisher((0, 5), (5, 5)) == pytest.approx(2 / 252) and fisher((2, 4), (2, 4)) == 1.0
    assert spearman((1, 2, 3, 4), (1, 2, 4, 3)) == pytest.approx(0.8)
    assert spearman((1, 2, 2), (1, 3, 2)) == pytest.approx(0.8660254)
    assert kendall((1, 2, 3, 4), (1, 2, 4, 3)) == pytest.approx(2 / 3)
    assert spearman((1, 1), (1, 2)) is None and kendall((1, 1), (1, 2)) is None


def test_that_a_sweep_of_accuracies_is_drawn_with_a_point_each() -> None:
    profiles = tuple(map(symmetric_name, (0.4, 0.7, 1.0)))
    design = Design(("dkprompt", "classical"), ("halve_egg",), profiles, trials=1)
    swept = Results(design, {trial: outcome(True, True) for trial in design.all_trials()})
    chart = report_page(swept).partition("Against the accuracy of the answers")[2].partition("</svg>")[0]
    assert chart.count('class="line"') == 2
    assert chart.count("<circle") == 3 + 1  # dkprompt's points, and the one in the key
    assert ">0.4</text>" in chart and ">1</text>" in chart
