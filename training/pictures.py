"""Make the pictures with labels, in parallel, one file for each task and seed. Interrupt it and go on later.

python -m training.pictures household FOLDER [--workers N] [--limit SEEDS]

A file holds the PNG bytes of its stills and a label of each atom in each: 0 no, 1 yes, 2 cannot be seen (and
is not so), 3 cannot be seen (and is so), 4 hardly to be seen, which is neither learnt nor measured. The same
seed gives the same labels on every machine, and the same pixels where the same OpenGL draws them.
"""

from __future__ import annotations

import argparse
import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from time import monotonic
from typing import Any

import numpy as np

from core.domains import DomainSpec, Task
from core.evaluation.workers import end_with_parent
from core.pictures import encode_png
from core.planning import domain_library
from core.vqa.eye.coverage import shown_atoms
from robots.labelled_still import StillMaker

HEATED = 0.7
HARDLY = 4  # the label
PARTS = {"training": 1, "choosing": 6, "testing": 5}
MORE = (("heated", "training", HEATED), ("more", "training", 0.0), ("tested", "testing", 0.0))
MOVED = "testing, camera moved"  # on the same seeds as testing


@dataclass(frozen=True)
class Shard:
    part: str
    domain: str
    task: str
    seed: int
    stills: int
    heated: float = 0.0  # see `KitchenStills`

    @property
    def moved(self) -> bool:
        return self.part == MOVED

    @property
    def name(self) -> str:
        moved = "-moved" if self.moved else ""
        return f"{self.domain}-{self.task}-{self.seed}{moved}.npz"


def shards(domain: str, limit: int = 0) -> list[Shard]:
    """Return the shards of a domain in the order in which they are made; `limit` seeds of training.

    Five or six seeds of training come with each of choosing or testing, so that whatever is there is usable.
    """
    plan: Mapping[str, Any] = tomllib.loads((Path(__file__).parent / "seeds.toml").read_text("utf-8"))[domain]
    found = []
    for part, pace in PARTS.items():
        first, end = plan[part]
        if limit and part == "training":
            end = min(end, first + limit)
        found += [
            (pace * (seed - first), Shard(part, domain, task, seed, plan["stills"]))
            for seed in range(first, end)
            for task in plan["tasks"]
        ]
    found += [
        (order, Shard(MOVED, domain, shard.task, shard.seed, plan["stills"] // 3))
        for order, shard in found
        if shard.part == "testing"
    ]
    for key, part, heated in MORE:
        for task, (first, end) in plan.get(key, {}).items():
            found += [
                (2 * (seed - first), Shard(part, domain, task, seed, plan["stills"], heated))
                for seed in range(first, end)
            ]
    return [shard for _, shard in sorted(found, key=lambda pair: pair[0])]


def maker(shard: Shard, domain_spec: DomainSpec, task: Task) -> StillMaker:
    """Return what makes the stills of a shard; for training, the kitchen's are drawn more quickly."""
    if shard.domain == "household":
        from robots.kitchen.stills import KitchenStills

        quick = shard.part == "training"
        return KitchenStills(domain_spec, task, shard.seed, quick, shard.heated, shard.moved)
    from robots.ur5e.tabletop.stills import TabletopStills

    return TabletopStills(task, shard.seed, shard.moved)


def make_shard(shard: Shard, to: Path) -> Shard:
    """Make one file, and return what it holds."""
    path = to / shard.name
    domain_spec, task = domain_library.load_task(shard.task)
    asked = shown_atoms(domain_spec, task.problem)
    stills = maker(shard, domain_spec, task)
    pngs, labels = [], []
    try:
        for still in stills.stills(shard.stills, asked):
            pngs.append(np.frombuffer(encode_png(still.rgb), np.uint8))
            labels.append([_label(holds, seen) for holds, seen in still.labels])
    finally:
        stills.close()
    part = path.with_suffix(".part")
    with part.open("wb") as file:
        np.savez(
            file,
            pngs=np.concatenate(pngs),
            ends=np.cumsum([len(png) for png in pngs]),
            labels=np.array(labels, np.uint8),
            atoms=np.array([" ".join((a.predicate, *a.args)) for a in asked]),
        )
    os.replace(part, path)
    return shard


def _label(holds: bool, seen: bool | None) -> int:
    return HARDLY if seen is None else holds + 2 * (not seen)


def make(domain: str, to: Path, workers: int, limit: int = 0) -> None:
    """Make all files that are missing, and print how far it is."""
    to.mkdir(parents=True, exist_ok=True)
    every = shards(domain, limit)
    left = [shard for shard in every if not (to / shard.name).exists()]
    print(f"{len(every) - len(left)} of {len(every)} files are there already", flush=True)
    begun, done = monotonic(), 0
    with get_context("spawn").Pool(workers, end_with_parent) as pool:
        jobs = pool.imap_unordered(partial(make_shard, to=to), left)
        for count, made in enumerate(jobs, 1):
            done += made.stills
            rate = done / (monotonic() - begun)
            rest = (sum(s.stills for s in left) - done) / rate / 60
            print(
                f"{made.name}: {count} of {len(left)}, {rate:.1f} stills/s, {rest:.0f} min left", flush=True
            )


if __name__ == "__main__":
    os.environ.setdefault("MUJOCO_GL", "egl")
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("domain", choices=("household", "tabletop"))
    parser.add_argument("to", type=Path)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--limit", type=int, default=0, help="seeds for training; 0: all")
    asked = parser.parse_args()
    make(asked.domain, asked.to, asked.workers, asked.limit)
