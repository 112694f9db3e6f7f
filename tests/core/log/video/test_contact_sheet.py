"""The picture strip tells an episode's state in pictures and words."""

from __future__ import annotations

import numpy as np

from core import events as ev
from core.log.video.contact_sheet import SheetPanel, contact_sheet, panels_of
from core.operator import PlanChange
from core.pictures import blank_frame, decode_picture, make_frame
from core.planning_model import Plan, PlanStatus, Step
from core.ports import Frame, StepResult, StepStatus

OPEN, TAKE = Step("open", ("box",)), Step("take", ("cup", "box"))


def frame(level: int) -> Frame:
    return make_frame(np.full((256, 256, 3), level, np.uint8), "eye", 0.0, "")


def plan() -> ev.PlanMade:
    return ev.PlanMade(PlanChange(0, (), Plan(PlanStatus.FOUND, (OPEN,))))


EPISODE: tuple[ev.Event, ...] = (
    plan(),
    ev.FrameCaptured(0, frame(40)),
    ev.StepFinished(0, OPEN, StepResult(StepStatus.DONE), "it stays closed"),
    ev.FrameCaptured(1, frame(80)),
    plan(),
    ev.StepFinished(1, OPEN, StepResult(StepStatus.DONE)),
    ev.FrameCaptured(2, frame(120)),
    ev.StepFinished(2, TAKE, StepResult(StepStatus.FAILED, "the cup is not in view")),
    ev.FrameCaptured(3, frame(160)),
    ev.EpisodeEnded(ev.EpisodeResult.SUCCEEDED, "", True, True),
)


def words(panel: SheetPanel) -> list[str]:
    return [line.text for line in panel.lines]


def test_that_each_picture_bears_the_step_that_led_to_it_and_what_came_of_it() -> None:
    panels = panels_of(EPISODE, str)
    assert [words(panel) for panel in panels] == [
        ["at first"],
        ["(open box)", "wrong: it stays closed", "plans again"],
        ["(open box)"],
        ["(take cup box)", "failed: the cup is not in view", "goal reached, confirmed by the simulator"],
    ]


def test_that_a_wrong_belief_at_the_end_is_said() -> None:
    events = (ev.FrameCaptured(0, frame(9)), ev.EpisodeEnded(ev.EpisodeResult.SUCCEEDED, "", True, False))
    assert words(panels_of(events, str)[0])[-1] == "goal believed, but not reached"


def test_that_the_strip_holds_every_picture_and_grows_by_rows() -> None:
    panels = panels_of(EPISODE, str)
    wide, tall = (
        decode_picture(contact_sheet(panels, "four steps", columns=4)),
        decode_picture(contact_sheet(panels, columns=2)),
    )
    assert wide.shape[0] < tall.shape[0] and wide.shape[1] > tall.shape[1]
    for level in (40, 80, 120, 160):
        assert (wide == level).all(2).sum() >= 256 * 256 * 0.99


def test_that_words_are_drawn_below_their_picture() -> None:
    page = decode_picture(contact_sheet(panels_of(EPISODE, str), columns=4))
    assert (page[270:290, 10:266] < 120).any(), "the first panel's words"


def test_that_an_episode_without_pictures_still_gives_a_page() -> None:
    events = (
        ev.FrameCaptured(0, blank_frame("facts", 0.0, "")),
        ev.EpisodeEnded(ev.EpisodeResult.NO_PLAN, "no plan"),
    )
    assert decode_picture(contact_sheet(panels_of(events, str), "blind")).size
    assert decode_picture(contact_sheet((), "nothing happened")).size
