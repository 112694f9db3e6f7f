"""Measure a wish's geometry alone, without rehearsal, and PDDLStream's beside it on the same scenes.

`--pddlstream FOLDER` is where PDDLStream (caelan/pddlstream, GPL-3) lies, with a Fast Downward. Both draw by
the same samplers and ask the same kinematics and collisions, in turn; scenes and models are made before. Ours
finds the whole way of arm and hand, PDDLStream (adaptive, unit costs) only the arm at each grasp and place.
Drawn are grasps and places.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import chdir, redirect_stdout
from importlib import import_module
from io import StringIO
from itertools import permutations
from statistics import mean
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.shared.harness import load, report, sized, timed
from core.motion.frames import Frame
from core.motion.search import Hints, named
from core.planning.domain_library import load_domain_spec
from core.planning.planner import make_planner
from core.planning_model import PlanStatus, Step
from core.stop_token import StopToken
from core.wish import WishOptions
from core.wishes.hand_written import hand_written
from core.wishes.wish_planner import WishPlanner
from robots.ur5e.arm_setup import ArmLimits
from robots.ur5e.emulator.scene import make_scene
from robots.ur5e.kinematics import PARKED, Joints
from robots.ur5e.motion.collisions import Collisions
from robots.ur5e.motion.samplers import Grasp, Place
from robots.ur5e.motion.skills import FROM_BELOW, TableSkills
from robots.ur5e.motion.table_scene import first_poses, table_scene

# Another thing that goes somewhere is a parameter of each step, so that no rule over what changes is needed.
DOMAIN = """(define (domain table) (:requirements :strips :equality)
  (:predicates (goes ?o ?r) (two ?o ?b) (grasp ?o ?g) (pose ?o ?p) (place ?o ?r ?p) (arm ?o ?g ?p ?q)
    (free ?o ?g ?p ?q ?b ?s) (at ?o ?p) (holds ?o ?g) (empty) (done ?o))
  (:action pick :parameters (?o ?g ?p ?q{0})
    :precondition (and (arm ?o ?g ?p ?q) (at ?o ?p) (empty){1})
    :effect (and (holds ?o ?g) (not (at ?o ?p)) (not (empty))))
  (:action put :parameters (?o ?g ?p ?q ?r{0})
    :precondition (and (place ?o ?r ?p) (arm ?o ?g ?p ?q) (holds ?o ?g){1})
    :effect (and (at ?o ?p) (done ?o) (empty) (not (holds ?o ?g)))))"""
STREAMS = """(define (stream table)
  (:stream grasps :inputs (?o ?r) :domain (goes ?o ?r) :outputs (?g) :certified (grasp ?o ?g))
  (:stream places :inputs (?o ?r) :domain (goes ?o ?r) :outputs (?p)
    :certified (and (pose ?o ?p) (place ?o ?r ?p)))
  (:stream arm :inputs (?o ?g ?p) :domain (and (grasp ?o ?g) (pose ?o ?p)) :outputs (?q)
    :certified (arm ?o ?g ?p ?q))
  (:stream free :inputs (?o ?g ?p ?q ?b ?s) :domain (and (two ?o ?b) (arm ?o ?g ?p ?q) (pose ?b ?s))
    :certified (free ?o ?g ?p ?q ?b ?s)))"""
ALONE, BESIDE = ("", ""), (" ?b ?s", " (at ?b ?s) (free ?o ?g ?p ?q ?b ?s)")


def geometry(pddlstream: str = "", seed: int = 0, repeats: int = sized(20, 1)) -> None:
    """Plan berry_1 and citrus in scenes from this seed on, and once before anything is timed."""
    sys.path += filter(None, [pddlstream])
    kinds = (Ours, PDDLStream) if pddlstream else (Ours,)
    for task in ("berry_1", "citrus")[: sized(2, 1)]:
        took, drawn = {kind: list[float]() for kind in kinds}, {kind: list[int]() for kind in kinds}
        for number in range(-1, repeats):
            works = [kind(task, seed + max(number, 0)) for kind in kinds]
            for work in works[:: 1 if number % 2 else -1]:
                took[type(work)] += timed(work.solve)
                drawn[type(work)].append(work.drawn)
        halves = [report(f"{task}, {k.__name__}, {mean(drawn[k][1:]):.0f} drawn", took[k][1:]) for k in kinds]
        told = f"PDDLStream takes {halves[-1] / halves[0]:.1f} times as long"
        print(told if pddlstream else "PDDLStream is not measured: it needs --pddlstream", load(), sep="; ")


class Ours:
    """One wish in one scene, planned by this program."""

    def __init__(self, task: str, seed: int) -> None:
        self.table, wish = make_scene(task, seed), hand_written(task, "")
        scene = table_scene(self.table, task, seed, "hand-e", first_poses(self.table), "bench")
        assert wish
        self.wish, self.skills, self.drawn = wish, TableSkills(scene, seed), 0
        self._problem = load_domain_spec("tabletop-wishes").tasks[task].problem

    def solve(self) -> None:
        planner, options = make_planner("pyperplan"), WishOptions(rehearsal=False)
        found = WishPlanner(self.skills, planner, self._problem, self.wish, options).plan(StopToken())
        assert found.plan.status is PlanStatus.FOUND, found.plan.reason
        self.drawn = found.samples


class PDDLStream(Ours):
    """The same, planned by PDDLStream, whose streams are the methods below."""

    def __init__(self, task: str, seed: int) -> None:
        super().__init__(task, seed)
        self._collisions, self._start = Collisions(self.table, ArmLimits()), self.skills.start()
        self._places = {step.args[0]: (n, step) for n, step in enumerate(self.wish.steps) if step.args[1:]}
        import_module("pddlstream.algorithms.algorithm").reset_globals()

    def solve(self) -> None:
        make = import_module("pddlstream.language.generator")
        domain = DOMAIN.format(*(BESIDE if len(self._places) > 1 else ALONE))
        streams = {"arm": make.from_fn(self.arm), "free": make.from_test(self.free)}
        streams |= {"grasps": make.from_gen_fn(self.grasps), "places": make.from_gen_fn(self.places)}
        facts: list[Any] = [("empty",), *(("two", *pair) for pair in permutations(self._places, 2))]
        for name, (_, step) in self._places.items():
            pose = self._start.poses[name]
            facts += [("goes", name, step.args[1]), ("pose", name, pose), ("at", name, pose)]
        goal = ("and", *(("done", name) for name in self._places))
        with TemporaryDirectory() as folder, chdir(folder), redirect_stdout(StringIO()):
            solve, asked = import_module("pddlstream.algorithms.meta").solve, (STREAMS, streams, facts, goal)
            plan, *_ = solve((domain, {}, *asked), unit_costs=True, verbose=False, max_time=60)
        assert plan and len(plan) == 2 * len(self._places), plan

    def grasps(self, name: str, target: str) -> Iterator[tuple[Any] | None]:
        while True:
            self.drawn += 1
            grasp = self.skills.draw(self._start, Step("pick", (name,)), Hints())
            yield None if grasp is None else (grasp,)

    def places(self, name: str, target: str) -> Iterator[tuple[Frame] | None]:
        number, step = self._places[name]
        tests = self.wish.tests[number]
        hints = Hints(named(tests))
        while True:
            self.drawn += 1
            place = self.skills.draw(self._start, step, hints)
            assert isinstance(place, Place)
            bodies = self.skills.drawn(self._start, step, place)
            if passes := all(test(bodies) for test in tests):
                hints.passed.append(place)
            yield (place.pose,) if passes else None

    def arm(self, name: str, grasp: Grasp, pose: Frame) -> tuple[Joints] | None:
        """Return the arm's joints there. Whether a thing is in the way that goes somewhere, `free` says."""
        hand, put = pose @ grasp.hand, pose is not self._start.poses[name]
        if put and hand[2, 2] > FROM_BELOW:
            return None
        poses, held = {**self._start.poses, name: pose}, (name,) if put else ()
        apart, there = self._places.keys() - {*held}, self._collisions.solutions(hand, PARKED)
        return next(((q,) for q in there if not self._collisions.touched(poses, q, 0.0, held, apart)), None)

    def free(self, name: str, _: Grasp, pose: Frame, q: Joints, other: str, there: Frame) -> bool:
        poses = {**self._start.poses, name: pose, other: there}
        return other not in self._collisions.touched(poses, q, 0.0, (name,))


PARTS = (geometry,)
