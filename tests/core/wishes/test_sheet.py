"""A wish as rows with versions: painted, told again as replies, and kept."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from core.scene import SceneThing
from core.stop_token import StopToken
from core.wishes.authoring import Request, after, write_wish
from core.wishes.kept import KeptTest, KeptTests, source_for
from core.wishes.region import find_region, places_of
from core.wishes.sheet import Sheet, Version, boxes_of, mask_of, replies_of, row_tests, wish_of
from core.wishes.word_sources import SHEET, word_source, write_replies
from tests.core.wishes.test_authoring import BRIEF


def test_that_words_become_rows_whose_versions_name_their_author_prompt_and_reply(sheet: Sheet) -> None:
    pick, place, end = sheet.rows
    assert not pick.is_tested and not pick.has_tests and place.subject == "strawberry" and end.step is None
    version = place.latest
    assert version.by == "grammar, not a model" and "goal_check0" in version.source
    assert "strawberry" in version.prompt and version.source.strip() in version.reply
    assert str(version).startswith("# by grammar") and "# What was asked\nRequest:" in str(version)


def test_that_a_painted_region_is_a_test_beside_the_others_and_keeps_their_text(sheet: Sheet) -> None:
    places = places_of(BRIEF.scene, sheet.steps, "strawberry")
    whole = find_region(places, row_tests(sheet.rows[1], BRIEF))
    mask = np.zeros_like(whole.passes)
    mask[70:82, 100:104] = True
    boxes = boxes_of(mask, places.low)
    assert len(boxes) == 1 and np.array_equal(mask_of(boxes, places.low, mask.shape), mask)
    old = sheet.rows[1].latest
    painted = sheet.with_version(1, replace(old, by="Anna", painted=boxes))
    assert painted.rows[1].versions == (old, painted.rows[1].latest) and sheet.rows[1].versions == (old,)
    region = find_region(places, row_tests(painted.rows[1], BRIEF))
    assert np.array_equal(region.passes, whole.passes & mask) and 0 < region.share < whole.share
    brushed = np.random.default_rng(0).random(mask.shape) < 0.02
    boxes = boxes_of(brushed, places.low)
    assert len(boxes) <= 120 and np.all(mask_of(boxes, places.low, mask.shape) >= brushed), "only coarser"


def test_that_the_loop_reads_the_sheet_as_replies_with_their_versions(sheet: Sheet, tmp_path: Path) -> None:
    edited = sheet.with_version(1, Version("def test_mine() -> bool:\n    return True\n", "Anna", "02:11"))
    replies = replies_of(edited)
    assert replies["step 1"].startswith("Version 2, by Anna, 02:11.")
    write_replies(tmp_path / "sheet.toml", replies, "Anna")
    source, said = word_source(f"{SHEET}{tmp_path}/sheet.toml", BRIEF, 0), list[str]()
    assert source.name == "the sheet, by Anna"
    while isinstance(latest := after(write_wish(BRIEF), said), Request):
        said.append(source.ask(latest.messages, (), StopToken()).text)
    mine = wish_of(edited, BRIEF)
    assert (latest.steps, latest.goal, latest.descriptions) == (mine.steps, mine.goal, mine.descriptions)
    assert latest.tests == mine.tests and latest.goal_tests == mine.goal_tests


def test_that_what_is_kept_is_offered_for_things_of_its_kind(tmp_path: Path) -> None:
    kept = KeptTest(
        "cups stand", "def test_up() -> bool:\n    return abs(mug.pose.roll) < 0.1\n", "mug", ("cup",), "Anna"
    )
    store = KeptTests(tmp_path)
    store.keep("tabletop", kept)
    store.keep("tabletop", kept)
    assert store.load("tabletop") == (kept,)
    cup = SceneThing("beaker", (0,) * 6, (0.02,) * 3, "cup", categories=("cup", "red"))
    assert "beaker.pose.roll" in source_for(kept, cup) and not source_for(kept, replace(cup, categories=()))
    store.forget("tabletop", kept)
    assert store.load("tabletop") == ()
