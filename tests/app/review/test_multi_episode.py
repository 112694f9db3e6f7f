"""Several episodes at once: compared, and in charts."""

from __future__ import annotations

from pathlib import Path

from core.log.recorder import Recorder
from tests.app.conftest import Opened
from tests.app.review.conftest import Reader
from tests.core.log import made


def test_that_two_episodes_stand_side_by_side_and_charts_are_of_those_listed(
    reader: Reader, ids: list[str]
) -> None:
    reader.review.multi_episode.compare(ids[0], ids[2])
    reader.until(lambda: reader.review.compare.model.rowCount())
    compare = reader.review.compare
    assert reader.review._stack.currentWidget() is compare
    assert compare.model.first == 5  # the last step failed in one of them
    assert compare.cameras[0]._state.episode == ids[0] and compare.cameras[1]._state.episode == ids[2]
    review = reader.review
    review.show_charts()
    reader.until(lambda: review.multi_episode.charts and review.multi_episode.charts.predicates._tallies)
    everything = sum(x.answers for x in review.multi_episode.charts.predicates._tallies)
    review.episode_list.overridden.click()
    reader.until(
        lambda: sum(x.answers for x in review.multi_episode.charts.predicates._tallies) == everything / 3
    )
    assert review.multi_episode.charts.reliability.bins


def test_that_charts_judge_by_people_or_by_the_simulator(opened: Opened, tmp_path: Path) -> None:
    with Recorder.open(tmp_path / "log.db") as recorder:
        list(recorder.record_events(made.episode(6, True, "ada", truth=True)))
    at = opened()
    at.ready()
    at.do("episodes")
    reader = Reader(at)
    reader.listed()
    review = reader.review
    review.show_charts()
    reader.until(lambda: review.multi_episode.charts and review.multi_episode.charts.predicates._tallies)
    charts = review.multi_episode.charts
    assert charts is not None
    assert "4 judged by people" in charts._answers.note.text()
    charts.label_sources.choose(1)
    assert "24 known to the simulator" in charts._answers.note.text()
    right = {x.predicate: x.judged_by_simulator.fraction for x in charts.predicates._tallies}
    assert right[made.atom(0).predicate] == 0.0 and right[made.atom(1).predicate] == 1.0
    assert "0 of 6 right" in charts.predicates.accessibleDescription()
