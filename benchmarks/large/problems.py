"""Large classic problems, the same in every run; the domains are here and in the tests' fixtures."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from itertools import pairwise, product
from pathlib import Path

from benchmarks.shared.harness import ROOT

Cell = tuple[int, int]


def blocks(count: int) -> str:
    draw = random.Random(1)
    state, goal = towers(count, draw), towers(count, draw)
    under = {fact.split()[2] for fact in state if fact.startswith("on ")}
    state += [f"clear {block}" for block in names("b", count) if block not in under]
    return made("blocks", {"block": names("b", count)}, [*state, "handempty"], goal)


def towers(count: int, draw: random.Random) -> list[str]:
    order = draw.sample(range(count), count)
    return [
        f"on b{block} b{below}" if n and draw.random() < 0.8 else f"ontable b{block}"
        for n, (below, block) in enumerate(zip([0, *order], order, strict=False))
    ]


def logistics(cities: int, packages: int) -> str:
    draw = random.Random(1)
    ports, stops = names("port", cities), [f"stop{c}-{n}" for c in range(cities) for n in range(3)]
    state = [f"within port{c} c{c}" for c in range(cities)] + [f"at plane{n} port0" for n in range(2)]
    state += [f"within {stop} c{stop[4:-2]}" for stop in stops]
    state += [f"at t{c} stop{c}-0" for c in range(cities)]
    ends = [draw.sample(stops, 2) for _ in range(packages)]
    objects = {"city": names("c", cities), "airport": ports, "place": stops, "truck": names("t", cities)}
    objects |= {"plane": names("plane", 2), "package": names("k", packages)}
    state += [f"at k{n} {start}" for n, (start, _) in enumerate(ends)]
    return made("logistics", objects, state, [f"at k{n} {end}" for n, (_, end) in enumerate(ends)])


def ferry(places: int, cars: int) -> str:
    draw = random.Random(1)
    roads = [f"road p{a} p{b}" for a, b in product(range(places), repeat=2) if a != b]
    ends = [draw.sample(range(places), 2) for _ in range(cars)]
    state = [*roads, "at boat p0", *(f"at c{n} p{start}" for n, (start, _) in enumerate(ends))]
    objects = {"place": names("p", places), "car": names("c", cars), "boat": ["boat"]}
    return made("ferry", objects, state, [f"at c{n} p{end}" for n, (_, end) in enumerate(ends)])


def gripper(balls: int, far: int = 0) -> str:
    """Return the problem of the balls, with `far` rooms that nothing needs."""
    rooms = ["rooma", "roomb", *names("far", far)]
    state = [*(f"room {r}" for r in rooms), "gripper l", "gripper r", "free l", "free r", "at-robby rooma"]
    state += [f"{fact}" for n in range(balls) for fact in (f"ball b{n}", f"at b{n} rooma")]
    objects = {"object": [*rooms, "l", "r", *names("b", balls)]}
    return made("gripper-strips", objects, state, [f"at b{n} roomb" for n in range(balls)])


def puzzle(side: int) -> str:
    """Return what 2,000 random slides make of the ordered tiles."""
    draw, cells = random.Random(1), list(product(range(side), repeat=2))
    held, gap = {cell: n for n, cell in enumerate(cells) if n}, cells[0]
    for _ in range(2000):
        cell = draw.choice([c for c in cells if adjacent(c, gap)])
        held[gap], gap = held.pop(cell), cell
    state = [*beside(cells), f"empty {at(gap)}", *(f"on t{n} {at(c)}" for c, n in held.items())]
    objects = {"tile": [f"t{n}" for n in held.values()], "cell": map(at, cells)}
    return made("puzzle", objects, state, [f"on t{n} {at(c)}" for n, c in enumerate(cells) if n])


def grid(side: int, walls: int) -> str:
    """Return a room with `walls` rows of locked cells; each key lies before its wall."""
    draw, cells, gap = random.Random(1), list(product(range(side), repeat=2)), side // (walls + 1)
    locks = {c: f"s{c[0] // gap - 1}" for c in cells if c[0] and c[0] % gap == 0 and c[0] <= gap * walls}
    state = [*beside(cells), "robot f0-0", "free", *(f"lock {at(c)} {s}" for c, s in locks.items())]
    state += [f"open {at(c)}" for c in cells if c not in locks]
    for n in range(walls):
        state += [f"has k{n} s{n}", f"lies k{n} {at((n * gap + 1, draw.randrange(side)))}"]
    objects = {"cell": map(at, cells), "key": names("k", walls), "shape": names("s", walls)}
    return made("grid", objects, state, [f"lies k{n} f{side - 1}-{n}" for n in range(walls)])


def hanoi(discs: int) -> str:
    bases = [*names("d", discs), "p0"]
    state = [f"on {upper} {lower}" for upper, lower in pairwise(bases)]
    state += ["clear d0", "clear p1", "clear p2"]
    state += [f"smaller d{a} d{b}" for b in range(discs) for a in range(b)]
    state += [f"smaller d{n} p{peg}" for n in range(discs) for peg in range(3)]
    goal = [*state[: discs - 1], f"on d{discs - 1} p2"]
    return made("hanoi", {"disc": names("d", discs), "peg": names("p", 3)}, state, goal)


def depots(places: int, crates: int) -> str:
    draw = random.Random(1)
    state = ["at t0 p0", "at t1 p1"]
    for n in range(places):
        state += [f"at h{n} p{n}", f"idle h{n}", f"at q{n} p{n}"]
    tops = {n: f"q{n}" for n in range(places)}
    for n in range(crates):
        place = draw.randrange(places)
        state += [f"at k{n} p{place}", f"on k{n} {tops[place]}"]
        tops[place] = f"k{n}"
    state += [f"clear {top}" for top in tops.values()]
    order = draw.sample(range(crates), crates)
    below = [*names("q", places), *(f"k{n}" for n in order)]  # each pallet has every `places`th crate
    goal = [f"on k{n} {b}" for n, b in zip(order, below, strict=False)]
    objects = {"place": names("p", places), "truck": names("t", 2), "hoist": names("h", places)}
    return made("depots", objects | {"pallet": names("q", places), "crate": names("k", crates)}, state, goal)


def network(side: int, things: int) -> str:
    draw, rooms = random.Random(1), list(product(range(side), repeat=2))
    joins = [f"{at(a)} {at(b)}" for a in rooms for b in rooms if adjacent(a, b) and a < b]
    state = [f"joins s{n} {pair}" for n, pair in enumerate(joins)] + ["plant f0-0", "robot f0-0"]
    state += [f"store {at(rooms[-1])}", *(f"fused s{n}" for n in range(len(joins)) if draw.random() < 0.2)]
    state += [f"lies t{n} {at(draw.choice(rooms[1:-1]))}" for n in range(things)]
    objects = {"room": map(at, rooms), "switch": names("s", len(joins)), "thing": names("t", things)}
    return made("network", objects, state, ["done"])


def miconic(floors: int, passengers: int) -> str:
    draw = random.Random(1)
    state = ["lift f0", *(f"above f{low} f{high}" for high in range(floors) for low in range(high))]
    for n in range(passengers):
        start, end = draw.sample(range(floors), 2)
        state += [f"starts p{n} f{start}", f"wants p{n} f{end}"]
    objects = {"floor": names("f", floors), "passenger": names("p", passengers)}
    return made("miconic", objects, state, [f"served p{n}" for n in range(passengers)])


def elevators(floors: int, passengers: int) -> str:
    """Return a problem with costs: a fast lift to every fourth floor, and a slow one to each."""
    draw, state = random.Random(1), []
    for lift, step, start, each in (("fast", 4, 12, 1), ("slow", 1, 5, 4)):
        stops = range(0, floors, step)
        state += [f"stands {lift} f0", f"room {lift}", f"room-two {lift}"]
        state += [f"reaches {lift} f{n}" for n in stops]
        pairs = ((a, b) for a in stops for b in stops if a != b)
        state += [f"= (cost {lift} f{a} f{b}) {start + each * abs(a - b)}" for a, b in pairs]
    ends = [draw.sample(range(floors), 2) for _ in range(passengers)]
    state += ["= (total-cost) 0", *(f"at p{n} f{start}" for n, (start, _) in enumerate(ends))]
    objects = {"floor": names("f", floors), "passenger": names("p", passengers), "lift": ["fast", "slow"]}
    goal = [f"at p{n} f{end}" for n, (_, end) in enumerate(ends)]
    return made("elevators", objects, state, goal).removesuffix(")") + "(:metric minimize (total-cost)))"


def household(things: int, tables: int) -> str:
    """Return a kitchen in which everything lies on the wrong table or in a closed cabinet."""
    draw, cabinets = random.Random(1), names("cabinet", tables)
    agent, kinds = "agent", ("mug-n-04", "pie-n-01", "water_bottle-n-01", "brownie-n-03")
    goods = {kind: [f"{kind[:3]}{n}" for n in range(things) if n % 4 == k] for k, kind in enumerate(kinds)}
    every = [one for kind in goods.values() for one in kind]
    everything = [*names("table", tables), *cabinets, *every, agent]
    state = [f"inroom {one} kitchen" for one in everything] + [f"closed {c}" for c in cabinets]
    state += [f"handempty {agent}"]
    goal = []
    for one in every:
        table = draw.randrange(tables)
        inside = draw.random() < 0.3
        state.append(f"inside {one} cabinet{table}" if inside else f"ontop {one} table{table}")
        goal.append(f"ontop {one} table{(table + 1) % tables}")
    objects: dict[str, Iterable[str]] = {"table-n-02": names("table", tables), "cabinet-n-01": cabinets}
    objects |= {"kitchen": ["kitchen"], "agent-n-01": [agent], **goods}
    return made("household", objects, state, goal)


# --- writing ------------------------------------------------------------------------------------------


def made(domain: str, objects: dict[str, Iterable[str]], state: Sequence[str], goal: Sequence[str]) -> str:
    listed = " ".join(f"{' '.join(found)} - {type}" for type, found in objects.items())
    facts, wanted = (" ".join(f"({fact})" for fact in each) for each in (state, goal))
    head = f"(define (problem large) (:domain {domain}) (:objects {listed})"
    return f"{head}\n(:init {facts})\n(:goal (and {wanted})))"


def names(word: str, count: int) -> list[str]:
    return [f"{word}{n}" for n in range(count)]


def at(cell: Cell) -> str:
    return f"f{cell[0]}-{cell[1]}"


def adjacent(a: Cell, b: Cell) -> bool:
    return abs(a[0] - b[0]) + abs(a[1] - b[1]) == 1


def beside(cells: Sequence[Cell]) -> list[str]:
    return [f"beside {at(a)} {at(b)}" for a in cells for b in cells if adjacent(a, b)]


FIXTURES, LARGE = ROOT / "tests/fixtures/domains", ROOT / "benchmarks/large"
HOUSEHOLD = ROOT / "domains/household/repaired.pddl"
PROBLEMS: dict[str, tuple[Path, str]] = {  # name -> domain file, problem
    "blocks 35": (FIXTURES / "blocks/domain.pddl", blocks(35)),
    "logistics 8 x 24": (LARGE / "logistics.pddl", logistics(8, 24)),
    "ferry 15 x 30": (FIXTURES / "ferry/domain.pddl", ferry(15, 30)),
    "gripper 40": (FIXTURES / "gripper/domain.pddl", gripper(40)),
    "8-puzzle": (LARGE / "puzzle.pddl", puzzle(3)),
    "15-puzzle": (LARGE / "puzzle.pddl", puzzle(4)),
    "grid 14, 4 keys": (LARGE / "grid.pddl", grid(14, 4)),
    "hanoi 9": (LARGE / "hanoi.pddl", hanoi(9)),
    "depots 4 x 10": (LARGE / "depots.pddl", depots(4, 10)),
    "gripper 6, 200 rooms too many": (FIXTURES / "gripper/domain.pddl", gripper(6, 200)),
    "network 4 x 4, 3 things": (LARGE / "network.pddl", network(4, 3)),
    "blocks 14": (FIXTURES / "blocks/domain.pddl", blocks(14)),
    "logistics 4 x 8": (LARGE / "logistics.pddl", logistics(4, 8)),
    "ferry 8 x 12": (FIXTURES / "ferry/domain.pddl", ferry(8, 12)),
    "gripper 12": (FIXTURES / "gripper/domain.pddl", gripper(12)),
    "miconic 20 x 30": (LARGE / "miconic.pddl", miconic(20, 30)),
    "elevators 16 x 10, by cost": (LARGE / "elevators.pddl", elevators(16, 10)),
    "household 12 things": (HOUSEHOLD, household(12, 4)),
    "household 30 things": (HOUSEHOLD, household(30, 8)),
}
