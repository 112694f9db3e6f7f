"""The picture strip tells an episode's story in pictures and words."""

from __future__ import annotations

import numpy as np

from core import events as ev
from core.deciding import Revision
from core.log.strip import Panel, panels_of, strip
from core.pictures import blank, frame_of, pixels
from core.ports import Ending, Frame, Outcome
from core.problem import Plan, PlanStatus, Step

OPEN, TAKE = Step("open", ("box",)), Step("take", ("cup", "box"))


def frame(level: int) -> Frame:
    return frame_of(np.full((256, 256, 3), level, np.uint8), "eye", 0.0, "")


def plan() -> ev.Planned:
    return ev.Planned(Revision(0, (), Plan(PlanStatus.FOUND, (OPEN,))))


EPISODE: tuple[ev.Event, ...] = (
    plan(),
    ev.Observed(0, frame(40)),
    ev.Acted(0, OPEN, Outcome(Ending.DONE), "it stays closed"),
    ev.Observed(1, frame(80)),
    plan(),
    ev.Acted(1, OPEN, Outcome(Ending.DONE)),
    ev.Observed(2, frame(120)),
    ev.Acted(2, TAKE, Outcome(Ending.FAILED, "the cup is not in view")),
    ev.Observed(3, frame(160)),
    ev.Ended(ev.Result.SUCCEEDED, "", True, True),
)


def words(panel: Panel) -> list[str]:
    return [line.text for line in panel.lines]


def test_that_each_picture_bears_the_step_that_led_to_it_and_what_came_of_it() -> None:
    panels = panels_of(EPISODE, str)
    assert [words(panel) for panel in panels] == [
        ["at first"],
        ["(open box)", "wrong: it stays closed", "plans again"],
        ["(open box)"],
        ["(take cup box)", "failed: the cup is not in view", "goal reached, and it is so"],
    ]


def test_that_a_wrong_belief_at_the_end_is_said() -> None:
    events = (ev.Observed(0, frame(9)), ev.Ended(ev.Result.SUCCEEDED, "", True, False))
    assert words(panels_of(events, str)[0])[-1] == "goal believed, but it is not so"


def test_that_the_strip_holds_every_picture_and_grows_by_rows() -> None:
    panels = panels_of(EPISODE, str)
    wide, tall = pixels(strip(panels, "four steps", columns=4)), pixels(strip(panels, columns=2))
    assert wide.shape[0] < tall.shape[0] and wide.shape[1] > tall.shape[1]
    for level in (40, 80, 120, 160):
        assert (wide == level).all(2).sum() >= 256 * 256 * 0.99


def test_that_words_are_drawn_below_their_picture() -> None:
    page = pixels(strip(panels_of(EPISODE, str), columns=4))
    assert (page[270:290, 10:266] < 120).any(), "the first panel's words"


def test_that_an_episode_without_pictures_still_gives_a_page() -> None:
    events = (ev.Observed(0, blank("facts", 0.0, "")), ev.Ended(ev.Result.NO_PLAN, "no plan"))
    assert pixels(strip(panels_of(events, str), "blind")).size
    assert pixels(strip((), "nothing happened")).size
