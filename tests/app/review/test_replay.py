"""The replay of an episode: keys, speed, what every panel shows."""

from __future__ import annotations

import time

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.dialogs.reask import ReaskDialog
from app.presentation.signals import VALUES, belief_signal
from app.review.keys import PLAY, REVIEW
from app.review.player import Player
from app.review.text_dialog import TextDialog
from core.episode_state import QuestionCard
from core.review.replay import EpisodeReplay
from tests.app.review.conftest import Reader


def test_that_keys_scrub_jump_and_play_and_every_panel_shows_the_moment(
    reader: Reader, ids: list[str]
) -> None:
    review = reader.open(ids[2])
    player, opened = review.replay.player, review.replay.opened
    assert opened is not None
    for index in (len(player.replay), 30, 31, 12, 60):
        player.go(index)
        state = player.replay.state_at(index)
        assert review.replay.belief._state.belief == state.belief
        assert review.replay.plan._state.plan_rows == state.plan_rows
        shown = review.replay.camera._state.frame
        assert (shown.id if shown else "") == (state.frame.id if state.frame else "")
        assert shown is None or shown.rgb is not None
        assert review.bar.timeline.state.now == pytest.approx(state.now)
    reader.key(Qt.Key.Key_Home)
    assert player.index == 1
    reader.key(Qt.Key.Key_Period)
    reader.key(Qt.Key.Key_Period)
    reader.key(Qt.Key.Key_Comma)
    assert player.index == 2
    reader.key(Qt.Key.Key_O)
    assert player.state.counts.overrides == 1
    player.go(1)
    reader.key(Qt.Key.Key_X)
    assert player.state.last_step and player.state.last_step.result.status.value == "failed"
    reader.key(Qt.Key.Key_Home)
    reader.key(Qt.Key.Key_Space)
    assert player.playing
    reader.until(lambda: player.index == len(player.replay) and not player.playing)
    final, timeline = player.replay.final_state, review.bar.timeline
    review.bar._plot("questions")
    points = timeline._signal[1]
    assert points[-1][1] == final.counts.questions and list(points) == sorted(points)
    entry = next(iter(final.belief))
    believed = belief_signal(player.replay.readings, entry.atom)
    assert believed[-1][1] == VALUES[entry.verdict]
    assert timeline.thumbnail is not None and timeline.thumbnail(final.now) is not None
    reader.key(Qt.Key.Key_A)
    (dialog,) = review._window.findChildren(ReaskDialog)
    assert review.replay.question is not None and dialog._card.query == review.replay.question.query
    dialog.reject()
    review.replay.review.blind.setChecked(True)
    assert timeline.thumbnail(final.now) is None, "nothing tells what is to be judged"


@pytest.mark.long
def test_that_every_key_in_the_help_does_something(reader: Reader, ids: list[str]) -> None:
    review = reader.open(ids[2])
    assert not any(command.disabled_reason(review) for command in REVIEW)
    for command in (*PLAY, *REVIEW):
        for keys in command.sequences:
            QTest.keySequence(review, keys)
            if popup := QApplication.activePopupWidget():
                popup.close()
    for dialog in review._window.findChildren(TextDialog):
        dialog.reject()


@pytest.mark.long
def test_that_a_slow_replay_takes_longer(reader: Reader, ids: list[str]) -> None:
    player = Player(reader.review)
    player.load(EpisodeReplay(reader.open(ids[0]).replay.player.replay.records))
    player.go(1)
    player.change_speed(-9)
    assert player.speed < 0.1
    before, began = player.seconds, time.monotonic()
    player.play()
    reader.until(lambda: player.seconds > before)
    player.pause()
    assert player.seconds - before <= player.speed * (time.monotonic() - began) + 1e-6


@pytest.mark.long
def test_that_a_moment_shows_the_same_whatever_was_looked_at_before(reader: Reader, ids: list[str]) -> None:
    replay = reader.open(ids[0]).replay
    assert replay.question is not None

    def cards() -> list[QuestionCard | None]:
        """All of the moment's: those of earlier turns are made a few at a time."""
        state = replay.player.state
        reader.until(lambda: len(replay.questions.card_views) == len(state.cards) + len(state.earlier_cards))
        return [view.card for view in replay.questions.card_views]

    shown = cards()
    assert shown and not replay.questions.has_placeholder
    index = replay.player.index
    replay.player.go(1)  # nothing is asked and nothing planned yet
    assert replay.questions.has_placeholder and replay.plan.has_placeholder and replay.question is None
    reader.key(Qt.Key.Key_Y)
    replay.player.go(index)
    assert cards() == shown and replay.question is not None
