"""The figures of many episodes as one page."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from core.log.recorder import Recorder
from core.log.store import EpisodeFilter, Store
from core.review.groups import Figure
from core.review.report import _figure, export, report
from core.review.statistics import Accuracy
from tests.core.log import made


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """Three episodes of `gpt` on two robots, one of a model whose name is markup."""
    with Recorder.open(tmp_path / "log.db") as recorder:
        for model, robot in (
            ("gpt", "kitchen"),
            ("gpt", "symbolic"),
            ("<b>evil</b>", "kitchen"),
            ("gpt", "kitchen"),
        ):
            events = list(made.episode(2, by="ada", truth=True))
            settings = {"answerer": model, "robot": robot, "method": "careful", "seed": "7"}
            events[0] = replace(events[0], settings=settings)  # type: ignore[type-var]
            list(recorder.record_events(iter(events)))
    with Store.open(tmp_path / "log.db") as store:
        yield store


def sections(html: str) -> dict[str, str]:
    return dict(re.findall(r"<section><h2>(.*?)</h2>(.*?)</section>", html, re.S))


def test_that_models_have_rows_and_lines_of_their_own(store: Store) -> None:
    found = sections(report(store, EpisodeFilter()))
    assert list(found) == [
        *("By model", "By model and robot", "From episode to episode", "Answers per predicate"),
        *("How sure the models were of their answers, and how often rightly", "Episodes"),
    ]
    assert "<td>gpt<td>3<td>0 % " in found["By model"] and "[0, 56]" in found["By model"]
    assert found["By model and robot"].count("<tr>") == 1 + 3
    assert found["From episode to episode"].count("<svg") == 3
    assert found["Answers per predicate"].count("<tr>") == 1 + 2 * len(made.PREDICATES)
    assert "gpt, by simulator" in found["How sure the models were of their answers, and how often rightly"]
    assert found["Episodes"].count("<tr>") == 1 + 4


def test_that_only_what_passes_the_filter_counts_and_text_stays_text(store: Store, tmp_path: Path) -> None:
    one = [store.episodes(EpisodeFilter(facets=[("model", "<b>evil</b>")]))[0].episode]
    assert export(store, EpisodeFilter(ids=one), tmp_path / "one.html") == 1
    html = (tmp_path / "one.html").read_text("utf-8")
    assert len(list((tmp_path / "one-figures").glob("*.svg"))) == html.count("<svg")
    assert "gpt" not in html and "&lt;b&gt;evil" in html and "<b>evil" not in html
    assert "By model and robot" not in html and "<script" not in html
    assert list(sections(report(store, EpisodeFilter(tasks=["none"])))) == ["By model", "Episodes"]


def test_that_a_figure_reads_with_its_interval() -> None:
    def words(name: str, figure: Figure) -> str:
        return re.sub("<.*?>", "", _figure(name, figure))

    assert words("true_goal", Figure(22, 0.5, 0.3072, 0.6928)) == "50 % [31, 69]"
    assert words("turns", Figure(4, 2.5, 0.446, 4.554)) == "2.5 [0.4, 4.6]"
    assert words("turns", Figure(1, 2.0)) == "2.0" and words("cost", Figure(0)) == "–"


def test_that_the_calibration_error_is_the_distance_of_confidence_and_share() -> None:
    none = Accuracy()
    bins = tuple({7: (4, 2), 9: (4, 4)}.get(i, (0, 0)) for i in range(10))
    found = none + Accuracy(8, 6, bins)
    assert found.curve == [(0.75, 0.5), (0.95, 1.0)] and none.error is None
    assert found.error == pytest.approx((0.25 * 4 + 0.05 * 4) / 8)
