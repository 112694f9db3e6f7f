"""A person at the set-up dialog, and a tiny domain to open in it."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from app.controls.badge import SegmentedControl
from tests.app.conftest import Driver

DOMAIN = """(define (domain lamps)
  (:requirements :strips :typing :negative-preconditions)
  (:types lamp)
  (:predicates (lit ?l - lamp))
  (:action switch_on :parameters (?l - lamp) :precondition (not (lit ?l)) :effect (lit ?l)))
"""
PROBLEM = """(define (problem evening) (:domain lamps)
  (:objects left right - lamp) (:init (lit left)) (:goal (and (lit left) (lit right))))
"""


@pytest.fixture
def lamps(tmp_path: Path) -> Path:
    folder = tmp_path / "lamps"
    folder.mkdir()
    (folder / "domain.pddl").write_text(DOMAIN)
    (folder / "problem.pddl").write_text(PROBLEM)
    return folder


def setup(at: Driver) -> object:
    at.ready()
    at.do("setup")
    dialog = at.controller.dialog
    assert dialog is not None
    at.until(lambda: dialog._report is not None)
    return dialog


def pick(combo: QWidget, words: str) -> None:
    """With the arrow keys, one after the other."""
    combo.setFocus()
    QTest.keyClick(combo, Qt.Key.Key_Home)
    for _ in range(combo.count()):
        if combo.currentText() == words:
            return
        QTest.keyClick(combo, Qt.Key.Key_Down)
    raise AssertionError(f"there is no {words}")


def write(spin: QWidget, figure: str) -> None:
    spin.setFocus()
    spin.selectAll()
    QTest.keyClicks(spin, figure)


def segment(segments: SegmentedControl, words: str) -> None:
    at = next(i for i in range(segments.count()) if segments.tabText(i) == words)
    QTest.mouseClick(segments, Qt.MouseButton.LeftButton, pos=segments.tabRect(at).center())


def choose(dialog: object, robot: str) -> None:
    """Choose a robot by its name."""
    box = dialog._robot
    pick(box, box.itemText(box.findData(robot)))
