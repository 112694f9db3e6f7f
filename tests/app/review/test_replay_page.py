"""The replay page in a low window."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from app.controls.layout import label
from app.review.replay_page import ReplayPage


def test_that_the_panels_below_give_way_to_the_reviewers_card(qtbot: QtBot) -> None:
    page = ReplayPage("ada")
    qtbot.addWidget(page)
    page.plan.add_below(label("how it would have gone " * 9, "small", wrap=True))
    page.plan.hide_placeholder()
    for high in (802, 480):
        page.resize(963, high)
        page.show()
        qtbot.wait(1)
        assert page.review.height() == page.review.card.height()
