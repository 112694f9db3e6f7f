"""From a picture to a domain that runs, in the room and on its desk: nothing that a person does is lost."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from subprocess import PIPE, Popen

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtTest import QTest

from app.runtime.background_task import computing
from benchmarks.shared.window import until
from core.drafting import agreement, folder, photograph, simulator, steps
from core.drafting.desk import Desk
from core.drafting.findings import Findings, Next
from core.drafting.source import DraftSource
from core.pictures import decode_picture, encode_png
from core.planning.domain_library import load_domain_spec, own_domains_folder
from tests.app.conftest import Driver, Opened
from tests.core.drafting.known import LAKE, TOOLS, ended, slipped

(DOMAIN, PROBLEM), SLIP = slipped(2)
TABLE = DraftSource("table", "scripted", template="tabletop", objects="cup - container", goal="Tidy.")
CALLS = """add_or_update_predicates(['(free ?a - agent)', '(lies ?o - movable)', '(seen ?o - movable)',
 '(held ?o - movable)', '(in ?t - toy ?c - container)', '(home ?c - movable)'])
modify_action('find', ['(lies ?o)'], ['(seen ?o)'])
modify_action('pick', ['(free ?a)', '(lies ?o)', '(seen ?o)'],
 ['(held ?o)', '(not (seen ?o))', '(not (free ?a))', '(not (lies ?o))', '(not (home ?o))'])
modify_action('place_goal', ['(held ?c)'], ['(home ?c)', '(lies ?c)', '(free ?a)', '(not (held ?c))', '{}'])
modify_action('place_in', ['(held ?t)', '(home ?c)'], ['(in ?t ?c)', '(free ?a)', '(not (held ?t))', '{}'])
modify_action('put_back', ['(held ?o)'], ['(lies ?o)', '(free ?a)', '(not (held ?o))', '{}'])"""
CALLS = CALLS.replace("{}", "(forall (?x - movable) (not (seen ?x)))")
LATER = "modify_action('find', ['(free ?a)'], ['(seen ?o)']); modify_action('pick', [], ['(held ?o)'])"
HERE = {"handempty": "free", "ontable": "lies", "ingoal": "home", "inside": "in"}
KILLED = """
from tests.app.drafting.test_room import *
print(0, flush=True)
desk = Desk(TOOLS, LAKE, Path(sys.argv[1]))
version = desk.versions.all[-1] if desk.versions.all else desk.go_on(None).version
for now in iter(time.monotonic_ns, 0):
    domain = f"{version.domain_text.partition(chr(59))[0]};{now}"
    version = desk.write(domain, version.problem_text, version if now % 4 else None)
    print(now, flush=True)
"""


class Drafter:
    """A person in a room, who waits after all they do until nothing is being done, and sees what is found."""

    def __init__(self, at: Driver) -> None:
        self.at, self.room, self.run = at, at.console.room, at.console.room.runner

    def until(self, seen: Callable[[], object] = lambda: True, told: str = "") -> Findings | None:
        said = self.room.said.text
        assert until(lambda: not computing() and told in said() and bool(seen())), (told, said())
        return self.run.found

    def key(self, *keys: str, told: str = "") -> Findings | None:
        for key in keys:
            QTest.keySequence(self.room, key)
            self.until()
        return self.until(told=told)

    def open(self, source: DraftSource = LAKE, told: str = "") -> Desk | None:
        self.room.open(source)
        self.until(told=told)
        return self.run.desk

    def write(self, domain: str, problem: str = PROBLEM, then: str = "") -> Findings | None:
        """As if it was typed, and `then` typed on."""
        self.room.domain.field.setPlainText(domain)
        self.room.problem.field.setPlainText(problem)
        return self.until(lambda: self.run.current and self.run.current.texts == (then or domain, problem))

    def drag(self, *ends: tuple[float, float]) -> None:
        """Drag between places in shares of the picture; with one place, click there."""
        picture, area = self.room.picture, self.room.picture.area
        at = [area.topLeft() + QPointF(x * area.width(), y * area.height()) for x, y in ends]
        QTest.mousePress(picture, Qt.MouseButton.LeftButton, pos=at[0].toPoint())
        for place in at[1:]:
            QTest.mouseMove(picture, place.toPoint())
        QTest.mouseRelease(picture, Qt.MouseButton.LeftButton, pos=at[-1].toPoint())
        self.until()


@pytest.fixture
def drafter(opened: Opened, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Drafter:
    """Whoever drafts in a room, in a folder of their own with a photograph."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setattr("core.drafting.desk.SEARCH", 200_000)  # else a look takes 3 s
    monkeypatch.chdir(tmp_path)
    Path("table.png").write_bytes(encode_png(np.full((120, 160, 3), 90, np.uint8)))
    (drafter := Drafter(opened(drafting=TOOLS))).at.do("draft")
    drafter.until(lambda: drafter.run.desk)
    return drafter


def test_that_a_picture_runs_after_a_few_keys(drafter: Drafter, monkeypatch: pytest.MonkeyPatch) -> None:
    at, room, run, pages = drafter.at, drafter.room, drafter.run, list[bool]()
    made, record = run.desk.versions.all, run.desk.record
    monkeypatch.setattr(at.console.dialogs, "show_page", pages.append)
    assert not drafter.key("F1") and not record.asked  # of the keys, which the room does not keep for itself
    while run.next is not Next.DONE:  # at Manual, as it opens, where each call waits for one
        before, asks = (len(made), record.asked), run.next in (Next.DRAFT, Next.ASK)
        assert ("Enter asks the simulated drafter, free" in room.said.text()) is asks
        drafter.key("Return")
        assert len(made) == before[0] + 1 and (record.asked > before[1]) is asks
    at.ready()
    room.main.click()
    at.until(lambda: at.state.is_running and room.isHidden())
    assert len(made) + 2 <= 12  # Enter for each, with Ctrl+D and the last one
    assert pages and at.controller.settings.domain == str(own_domains_folder() / "frozenlake-4-0")


def test_that_a_slip_is_judged_and_mended_by_keys_or_edited_and_all_is_kept(drafter: Drafter) -> None:
    room, run, desk, by = drafter.room, drafter.run, drafter.open(), "Anna, from version 3"
    desk.by = by
    drafter.key("Return")
    found = drafter.write(DOMAIN)
    version, mended = found.version, desk.bench.texts_of(SLIP.inverse.apply(found.version.problem))
    assert (version.by, version.parent, found.repair.repairs[0].edit) == (by, 1, SLIP.inverse)
    assert "needed" in {mark.standing.value for mark in found.marks}
    rows = {row.name: row.text for row in room.score.rows}
    assert " ".join(rows) == "EW tried plan proof world's draft's"  # EW never without what was tried
    assert " 50 walks " in rows["EW"] and " by length " in rows["draft's"] and "move up" in rows["proof"]
    for key, told in (("P", f"as {by} said, not"), ("U", "left out")):
        count = 0
        while found.difference is not None:
            found, count = drafter.key(key), count + 1
        assert f"{count} step" in found.overruled and told in found.overruled and found.agrees
        assert found.version.score.exact and found.repair is None
        found = drafter.key(*["Ctrl+Z"] * count)
        assert not desk.judgements.rulings and found.version.score == version.score
    assert drafter.key("E").version.texts == mended and run.current.by == by
    QTest.keyClicks(room.window().focusWidget(), ";")  # it is there to be changed on
    drafter.until(lambda: run.current.domain_text == room.domain.field.toPlainText() != mended[0])
    for before in (mended, version.texts):  # what is typed is taken back, and then the edit
        QTest.keySequence(room.domain.field, "Ctrl+Z")
        drafter.until(lambda before=before: run.current.texts == before)
    assert repr(SLIP.inverse) not in repr(drafter.key("O").repair)
    assert repr(SLIP.inverse) in repr(drafter.key("Ctrl+Z").repair)
    assert drafter.key("S", "Return", "Ctrl+S", told="Saved in your own").proven and run.current.converged
    drafter.until(lambda: room.score.rows[-1].name == "yours" and run.current.by == "repair")
    (kept,) = folder.judged_walks(own_domains_folder() / LAKE.map).values()
    assert not kept.possible and kept.by == by
    assert drafter.key("Ctrl+Z", "Ctrl+S", told="save again").version == version  # what is proven is there
    QTest.keySequence(room.versions, "Return")  # Enter is what the blue button says, there too
    drafter.until(lambda: run.current.by == "repair")
    assert {button.focusPolicy() for button in room.buttons} == {Qt.FocusPolicy.NoFocus}  # nor after Tab
    desk.say(replace(found, version=desk.write(*mended, None)), simulator.Said.DRAFT)
    assert f"is possible as {by} says but not in the draft" in desk.look(desk.versions.all[-1]).compared
    for one in simulator.Said:
        differs = agreement.Difference(("move up", one.value), one is simulator.Said.BOTH)
        desk.say(Findings(version, difference=differs), one)
    rulings, last = dict(desk.judgements.rulings), len(desk.versions.all)
    assert [desk.write(DOMAIN, end, desk.choose(version)).number - last for end in ("", ";")] == [1, 2]
    assert len(rulings) == 1 + len(simulator.Said) and drafter.open().judgements.rulings == rulings


def test_that_what_breaks_is_told_and_all_is_kept(drafter: Drafter, monkeypatch: pytest.MonkeyPatch) -> None:
    room, run, field, typed = drafter.room, drafter.run, drafter.room.domain.field, f"{DOMAIN}; who types on"
    desk = drafter.open(source := replace(LAKE, seed=3))
    room.level.setCurrentIndex(0)  # at Watch it goes on alone to its end
    assert drafter.key("Return").agrees and [v.by for v in desk.versions.all] == ["model", "repair"]
    extra = replace(SLIP, old=None, new=replace(SLIP.old, positive=True))
    found = drafter.write(*desk.bench.texts_of(extra.apply(drafter.write(DOMAIN).version.problem)))
    (forbidden,) = (one for one in found.marks if one.standing.value == "forbidden")
    assert (forbidden.effect, forbidden.literal) == (False, extra.new) and forbidden.walk
    costs = drafter.write(DOMAIN.replace("(:predicates", "(:functions (total-cost)) (:predicates"))
    assert not found.otherwise and "tarski, a second reader, cannot read it" in costs.otherwise[0]
    drafter.write("(")
    assert "is not closed" in room.domain.said.text()
    drafter.write("e" * 300_000)  # which takes the window no time, as it is broken anywhere, and is not cut
    assert field.wordWrapMode().name == "WrapAnywhere" and len(field.toPlainText()) == 300_000
    run.told.connect(lambda: field.setPlainText(typed), type=Qt.ConnectionType.SingleShotConnection)
    drafter.write(typed[:-4], PROBLEM, typed)  # who types on is not interrupted
    monkeypatch.setattr(desk.bench, "_ask", lambda _, prompt: photograph.read_objects(prompt))  # which raises
    for does, told in ((lambda desk, found: desk.ask(found.version), "is no object"), (divmod, "TypeError")):
        run.make(does, "Breaking")
        drafter.until(told=told)
    run.make(lambda desk, _: [desk.world.do(desk.world.first, "move up") for _ in iter(int, 1)], "A round")
    run.make(lambda desk, _: desk.write(f"{typed}\u00a0;", PROBLEM, None), "Writing")  # as no field gives it
    drafter.until()
    kept = [(v.by, v.parent, v.repairs, v.texts, v.score) for v in desk.versions.all]  # nobody typed
    assert kept == [(v.by, v.parent, v.repairs, v.texts, v.score) for v in drafter.open(source).versions.all]
    field.setPlainText(f"{typed}, nor who goes on")
    drafter.open(source)
    field.setPlainText(f"{run.current.domain_text}, nor who leaves")
    assert run.close()  # as the window does it, in a round, before what was typed is read
    run.desk = None
    drafter.open(source)
    assert run.current.domain_text.endswith("; who types on, nor who goes on, nor who leaves")
    for changes, told in (
        ({"objects": ""}, "Types: agent, container, movable, object, toy"),
        ({"goal": " "}, "the goal"),
        ({"objects": "cup - spoon"}, "has no type 'spoon' for cup"),
        ({"objects": "(cup - toy"}, "is no object"),
        ({"objects": ", ".join(f"toy-{n} - toy" for n in range(101))}, "100 at most"),
        *(({"map": name}, "cannot be kept as") for name in ("../up", "/tmp", "", "tabletop", "a" * 300)),
        ({"answerer": ""}, "not 'tidy'. It can say the TOY is collected"),
        ({}, "the file"),
    ):
        assert drafter.open(replace(TABLE, **changes), told) is None


def test_that_a_picture_is_read_named_and_changed_and_a_photograph_drafted(drafter: Drafter) -> None:
    room, run, game, file = drafter.room, drafter.run, TOOLS.games()["frozenlake"], Path("shot.png")
    world, shot = game.make(4, 3), DraftSource("frozenlake-4-0", picture=file)
    cells, rgb = world.cells(world.first), decode_picture(TOOLS.paint(game, world, "desert"))
    file.write_bytes(encode_png(np.pad(rgb, ((60, 0), (0, 120), (0, 0)), constant_values=90)))
    assert drafter.open(shot) is None
    drafter.drag((0.4, 0.0), (0.4, 60 / (len(rgb) + 60)))
    drafter.drag((1.0, 0.4), (len(rgb) / (len(rgb) + 120), 0.4))
    assert run.desk.cells == room.map.cells == cells
    file.write_bytes(TOOLS.paint(game, world, "nobody's"))
    drafter.open(shot)
    for left in range(4, 0, -1):
        assert f"{left} kind" in room.said.text() and run.desk is None
        cell = next(cell for cell, kind in room.map.cells.items() if not kind)
        room.kinds.choose(cells[cell])
        drafter.drag(((cell[1] - 0.5) / 4, (cell[0] - 0.5) / 4))
    assert room.map.cells == cells and run.desk.source.picture == file
    drafter.open(DraftSource("frozenlake-4-3"))
    drafter.drag((0.25, 0.4), (1 / 3, 0.4))
    assert run.desk.source.map == "frozenlake-3-3" and room.map.seams.size == 3
    for kind, named in (("hole", "frozenlake-3-c"), ("floor", "frozenlake-3-3")):  # as it was before
        room.kinds.choose(kind)
        drafter.drag((0.5, 0.5))
        assert room.map.cells[2, 2] == kind and run.desk.source.map.startswith(named)
    fields, place = room.source.fields, (games := room.source.boxes["game"]).findText
    assert place("frozenlake") < place("frozenlake-r2") < place("frozenlake-r10") < place("maze")
    QTest.keySequence(games, "End")
    drafter.until(told="Name the objects")
    assert run.desk is None and not room.map.cells
    fields["objects"].setText("robot - agent, cup-1 - container, old_egg - toy, hen - toy")
    fields["goal"].setText("The cup is in the goal area, all toys are in the cup-1.")
    fields["picture"].setText("table.png")
    fields["goal"].setFocus()
    QTest.keySequence(fields["goal"], "Return")
    drafter.until(told="no model is asked")
    assert room.window().focusWidget() is room  # so that the next Enter is the blue button's
    for chosen, boxes, *ends in (
        ("", "robot 0.2", (0.2, 0.2), (0.4, 0.4)),
        ("old_egg", "robot 0.2, old_egg 0.3", (0.3, 0.3), (0.4, 0.4)),
        ("", "robot 0.2, cup-1 0.6, old_egg 0.3", (0.6, 0.6), (0.7, 0.7)),
        ("", "robot 0.2, cup-1 0.6, old_egg 0.3, hen 0.8", (0.8, 0.8), (0.9, 0.9)),
        ("", "robot 0.2, cup-1 0.5, old_egg 0.3, hen 0.8", (0.5, 0.6), (0.7, 0.7)),  # the nearest anew
        ("", "cup-1 0.5, old_egg 0.3, hen 0.8", (0.25, 0.25)),  # a click takes a box away
    ):
        room.kinds.choose(chosen)
        drafter.drag(*ends)
        assert ", ".join(f"{box.name} {box.left:.1f}" for box in run.desk.source.boxes) == boxes
    assert drafter.key("Ctrl+Z") is None and len(run.desk.source.boxes) == 4
    given = {name: getattr(run.desk.source, name).replace("egg", "ei") for name in ("map", "objects", "goal")}
    named = run.desk.source.changed("photograph", "table.png", "tabletop", **given)  # a box follows its name
    assert named.boxes[2].name == "old_ei" and DraftSource.again(named.remembered) == named
    assert all(DraftSource.again({"map": "m", "drawn": drawn}) == DraftSource() for drawn in ("a b", "a 0 1"))
    room.domain.field.setPlainText("\n")  # by an Enter too many, which makes no version
    room.domain.pause.start(5_000)  # nor does the draft come too late for it
    first, source = drafter.key("Return", told="correct it in the problem").version, run.desk.source
    assert first.number == 1 and run.next is Next.DONE and not run.found.proven and not room.ask.isEnabled()
    assert "nobody has looked" in (alike := run.found.compared) and room.kinds.count() == 4
    facts = {"(handempty robot)", *(f"(ontable {name})" for name in source.names[1:])}
    assert {str(atom) for atom in first.problem.state} == facts and room.domain.text == first.domain_text
    there = first.problem_text.replace("(ontable old_egg)", "(inside old_egg cup-1)")
    found = drafter.write(first.domain_text, there)  # which the template goes on from
    assert found.compared == alike and len(found.version.plan) == len(first.plan) - 3
    drafter.write(first.domain_text.replace("(handempty ?a))", ")", 1), there)
    desk, found = drafter.open(replace(source, boxes=())), run.found
    assert desk.source.boxes == source.boxes and "50% to 70% of the photograph's width" in desk.game.rules
    assert "is possible in the draft but not as the template says" in found.compared
    assert found.repair.repairs[0].edit.describe() == "the precondition of pick gets (handempty ?a)"
    assert found.repair.comparison.sentence == alike and "1 step as" in drafter.key("P").overruled  # no proof
    (own_domains_folder() / source.map).mkdir(parents=True)  # of another photograph, perhaps
    drafter.key("Ctrl+S", told="save again to replace it")
    drafter.key("Ctrl+S", told="Saved in your own")
    assert desk.save(first)


@pytest.mark.long
def test_that_after_kill_9_at_any_moment_a_draft_opens_at_its_last_version(tmp_path: Path) -> None:
    log, root, opened = tmp_path / "log.db", Path(__file__).parents[3], 0
    for kill in range(50):
        child = Popen([sys.executable, "-c", KILLED, log], cwd=root, stdout=PIPE, text=True)
        assert child.stdout.readline()  # it opens the draft from here on
        time.sleep(np.random.default_rng(kill).uniform(0, 2))
        child.kill()
        last = max([opened, *map(int, child.communicate()[0].split())])
        desk = Desk(TOOLS, LAKE, log)
        opened = int("".join(one.domain_text for one in desk.versions.all[-1:]).partition(";")[2] or 0)
        desk.close()
        assert opened >= last, (kill, opened, last)
    assert len(desk.versions.all) > 10  # killed as it wrote, not only as it opened


def test_that_ten_photographs_end_in_valid_plans(drafter: Drafter, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.drafting.source.model_ask", lambda *_: (ask, "scripted"))

    def ask(purpose: str, prompt: str) -> str:
        """Draft as written above, and say of steps what the shipped file says."""
        if purpose != "simulate":
            return {"problem": there, "domain": CALLS, "update": LATER, "scene": "All lie there."}[purpose]
        words = [line.partition(": ")[2] for line in re.findall(r"^\d+: .*", prompt, re.M)]
        done, states = file.run(words)
        return ended(len(words), done, done == len(words) and file.is_goal(states))

    tabletop = load_domain_spec("tabletop")
    for cup, egg in ((f"cup-{number}", f"egg-{number}") for number in range(10)):
        objects = f"robot - agent, {cup} - container, {egg} - toy"
        goal = f"{cup} is in the goal area, {egg} is in {cup}"
        shipped = photograph.lent_problem(cup, tabletop, photograph.read_objects(objects), goal)
        desk = drafter.open(replace(TABLE, map=cup, picture=Path("table.png"), objects=objects))
        file, most = steps.DraftSteps(shipped, desk.game.word_of), 55 * len(desk.world.words)
        there = re.sub(r"\((\w+)", lambda m: f"({HERE.get(m[1], m[1])}", desk.bench.texts_of(shipped)[1])
        assert f"three calls, and then up to {most:,} for the steps of 10 walks." in drafter.room.said.text()
        found = drafter.key("Return", told="Two models are compared; neither is the truth.")
        assert drafter.run.next is Next.DONE and found.compared == desk.advice(found) and not found.proven
        drafter.until(lambda: "model's" in [row.name for row in drafter.room.score.rows])
        done, states = file.run(found.version.plan)
        assert done == len(found.version.plan) > 0 and file.is_goal(states), found.version.plan
        saved, differs = desk.save(found.version), agreement.Difference((f"pick up the {cup}",), True)
        (task,) = load_domain_spec(str(saved)).tasks.values()
        assert task.name == saved.name == cup and task.problem.goal
        judged = desk.say(replace(found, difference=desk.judgements.said(differs)), simulator.Said.DRAFT)
        assert judged.score.drawn == 10 and not judged.score.exact
        assert desk.record.asked <= 3 + most + 11  # and then the draft's walks and its plan
    desk, first = drafter.open(desk.source), drafter.run.current
    assert first.score == judged.score and desk.record.asked <= 11  # nothing is asked twice
    find, put = map(first.problem.domain.action, ("find", "put_back"))
    mine = replace(SLIP, action="find", old=find.precondition[0]).apply(first.problem)
    mine = replace(SLIP, action="put_back", effect=True, old=put.effects[0].literal).apply(mine)
    domain, problem = desk.bench.texts_of(mine)
    second = drafter.write(domain, problem.replace("(lies egg-9)", "")).version
    third = drafter.key("A").version  # in which what a person edited stays
    (conflict,), ours, theirs = desk.versions.conflicts, second.problem, third.problem
    assert (third.by, third.parent, len(theirs.domain.action("pick").effects)) == ("model", second.number, 1)
    assert theirs.state == ours.state != first.problem.state
    assert all(theirs.domain.action(one.name) == ours.domain.action(one.name) != one for one in (find, put))
    assert "You edited the action find" in drafter.room.card.face.sentence
    assert drafter.run.next is Next.CONFLICT and conflict.mine != conflict.theirs != conflict.before
    assert str(drafter.key("O").version.problem.domain.action("find").precondition[0]) == "(free ?a)"
    desk.versions.conflicts = (conflict,)
    assert drafter.key("Return").version.number == third.number + 1 and not desk.versions.conflicts
