"""Train the eye of a domain. Interrupt it and go on later; the same pictures and steps give the same eye.

python -m training.train household PICTURES WORK [--steps N]

WORK gets checkpoint.npz, curve.csv (loss, and how it does on the choosing seeds), and at the end the eye
itself with its report (`training.export`, `training.report`). On one machine two runs
of 30 steps agreed in every bit.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from time import monotonic
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax
from numpy.typing import NDArray

from training import net
from training.augment import augment
from training.data import LabelledQuestions, Vocabulary, load_others, load_part, vocabulary
from training.foreign import training_picture

PICTURES, QUESTIONS, FOREIGN = 28, 6, 4  # of one step; questions about one picture tell much the same
RATE, WARM_UP, DECAY = 2e-3, 100, 1e-3
FOREIGN_WEIGHT = 0.2
OTHERS_SHARE = 0.25  # of the foreign pictures are those of the other domain, where there are some
AVERAGE = 0.997  # of the weights, which are what is exported
SAVE_EVERY, CHECK_EVERY = 100, 1000  # steps


class Batch(NamedTuple):
    pixels: NDArray[np.uint8]  # the pictures, then the foreign ones
    ids: NDArray[np.int32]  # pictures x questions x 3
    labels: NDArray[np.int32]  # pictures x questions


class State(NamedTuple):
    params: net.Params
    average: net.Params
    optimiser: Any
    step: int


class Sampler:
    """Draws batches: rare answers of a question more often than they occur, though less than common ones."""

    def __init__(
        self,
        asked: LabelledQuestions,
        words: Vocabulary,
        others: NDArray[np.uint8] | None = None,
        seed: int = 0,
    ) -> None:
        self._asked, self._others, self._seed = asked, others, seed
        self._ids = np.array([words.ids(q) for q in asked.questions], np.int32)
        kinds = asked.rows[:, 1] * 3 + asked.rows[:, 2]
        weights = np.bincount(kinds)[kinds] ** -0.5
        begins = np.searchsorted(asked.rows[:, 0], np.arange(len(asked.pictures) + 1))
        self._spans = [(a, b, _shares(weights[a:b])) for a, b in pairwise(begins)]

    def batch(self, step: int) -> Batch:
        rng = np.random.default_rng((self._seed, step))
        chosen = rng.integers(0, len(self._spans), PICTURES)
        rows = []
        for n in chosen:
            first, end, shares = self._spans[n]
            rows.append(self._asked.rows[first + rng.choice(end - first, QUESTIONS, p=shares)])
        asked = np.stack(rows)
        pixels = [augment(self._asked.pictures[n], rng) for n in chosen]
        pixels += [self._foreign(rng) for _ in range(FOREIGN)]
        return Batch(np.stack(pixels), self._ids[asked[..., 1]], asked[..., 2])

    def _foreign(self, rng: np.random.Generator) -> NDArray[np.uint8]:
        if self._others is not None and rng.random() < OTHERS_SHARE:
            return augment(self._others[rng.integers(len(self._others))], rng)
        return training_picture(rng, net.SIDE, self._asked.pictures)

    def batches(self, first: int, end: int) -> Iterator[Batch]:
        """Yield the batches of these steps, made ahead in another thread."""
        with ThreadPoolExecutor(1) as pool:
            ahead = [pool.submit(self.batch, step) for step in range(first, min(end, first + 4))]
            for step in range(first, end):
                yield ahead.pop(0).result()
                if step + 4 < end:
                    ahead.append(pool.submit(self.batch, step + 4))


def _shares(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(weights / weights.sum())


def optimiser(steps: int) -> Any:
    rate = optax.warmup_cosine_decay_schedule(0, RATE, WARM_UP, max(steps, WARM_UP + 1), 1e-5)
    return optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(rate, weight_decay=DECAY))


def loss(params: net.Params, batch: Batch) -> tuple[net.Array, tuple[net.Array, net.Array]]:
    features = net.trunk(params, batch.pixels.astype(jnp.float32) / 128 - 1)
    logits = net.head(params, features[:PICTURES], batch.ids)
    answers = optax.softmax_cross_entropy_with_integer_labels(logits, batch.labels).mean()
    strange = (jnp.arange(len(features)) >= PICTURES).astype(jnp.float32)
    elsewhere = optax.sigmoid_binary_cross_entropy(net.foreign(params, features), strange).mean()
    right = (logits.argmax(-1) == batch.labels).mean()
    return answers + FOREIGN_WEIGHT * elsewhere, (right, elsewhere)


def train(
    asked: LabelledQuestions,
    choosing: LabelledQuestions,
    words: Vocabulary,
    work: Path,
    steps: int,
    others: Any = None,
) -> net.Params:
    """Train up to `steps` steps, from the checkpoint if there is one. Return the averaged weights.

    `others` are pictures of another domain (N x side x side x 3), or None.
    """
    work.mkdir(parents=True, exist_ok=True)
    rule = optimiser(steps)
    params = net.init(0, len(words.predicates), len(words.objects))
    state = _restore(work, State(params, params, rule.init(params), 0))

    @jax.jit  # type: ignore[untyped-decorator, unused-ignore]
    def update(params: Any, average: Any, optimiser: Any, batch: Batch) -> Any:
        (value, more), slope = jax.value_and_grad(loss, has_aux=True)(params, batch)
        change, optimiser = rule.update(slope, optimiser, params)
        params = optax.apply_updates(params, change)
        average = jax.tree.map(lambda a, p: AVERAGE * a + (1 - AVERAGE) * p, average, params)
        return params, average, optimiser, (value, *more)

    params, average, moments, first = *state[:3], state.step
    begun, recent = monotonic(), []
    check = WeightCheck(choosing, words)
    for step, batch in enumerate(Sampler(asked, words, others).batches(first, steps), first + 1):
        if step == WARM_UP:
            average = params
        params, average, moments, values = update(params, average, moments, batch)
        recent.append([float(v) for v in values])
        if step % SAVE_EVERY == 0 or step == steps:
            checked = check(average) if step % CHECK_EVERY == 0 or step == steps else ()
            _report(work, step, steps, np.mean(recent, 0), checked, (monotonic() - begun) / (step - first))
            recent.clear()
            _save(work, State(params, average, moments, step))
    return {name: np.asarray(value) for name, value in average.items()}


class WeightCheck:
    """Measures weights on the choosing seeds: right and opposite of what is seen, right of what is not."""

    def __init__(self, asked: LabelledQuestions, words: Vocabulary) -> None:
        self._asked = asked
        self._ids = np.array([words.ids(q) for q in asked.questions], np.int32)
        self._logits = jax.jit(
            lambda p, x, ids: net.head(p, net.trunk(p, x.astype(jnp.float32) / 128 - 1), ids)
        )

    def __call__(self, params: net.Params) -> tuple[float, float, float]:
        rows, pictures = self._asked.rows, self._asked.pictures
        counts = np.bincount(rows[:, 0], minlength=len(pictures))
        starts, most = np.cumsum(counts) - counts, int(counts.max())
        found = np.zeros((3, 3), np.int64)
        for n in range(0, len(pictures) - PICTURES + 1, PICTURES):  # the last few are left out
            offsets = np.minimum(np.arange(most), counts[n : n + PICTURES, None] - 1)
            mine = rows[starts[n : n + PICTURES, None] + offsets]
            said = np.asarray(self._logits(params, pictures[n : n + PICTURES], self._ids[mine[..., 1]]))
            kept = np.arange(most) < counts[n : n + PICTURES, None]
            np.add.at(found, (mine[..., 2][kept], said.argmax(-1)[kept]), 1)
        seen = max(1, found[:2].sum())
        unseen_right = found[2, 2] / max(1, found[2].sum())
        return found.diagonal()[:2].sum() / seen, (found[0, 1] + found[1, 0]) / seen, unseen_right


def _report(work: Path, step: int, steps: int, means: Any, checked: Sequence[float], seconds: float) -> None:
    value, right, elsewhere = means
    print(
        f"step {step} of {steps}: loss {value:.3f}, right {100 * right:.1f} %, foreign {elsewhere:.3f}; "
        f"{1000 * seconds:.0f} ms a step, {(steps - step) * seconds / 60:.0f} min left",
        flush=True,
    )
    if checked:
        right, opposite, unseen = (100 * share for share in checked)
        print(f"choosing seeds: {right:.2f} % right and {opposite:.2f} % opposite of the seen, ", end="")
        print(f"{unseen:.2f} % right of the unseen")
    with (work / "curve.csv").open("a") as file:
        file.write(",".join([str(step), *(f"{v:.5f}" for v in (value, right, elsewhere, *checked))]) + "\n")


def _save(work: Path, state: State) -> None:
    part = work / "checkpoint.part"
    with part.open("wb") as file:
        np.savez(file, *map(np.asarray, jax.tree.leaves(state)))
    os.replace(part, work / "checkpoint.npz")


def _restore(work: Path, fresh: State) -> State:
    path = work / "checkpoint.npz"
    if not path.exists():
        return fresh
    leaves, shape = jax.tree.flatten(fresh)
    with np.load(path) as file:
        saved = [file[f"arr_{n}"] for n in range(len(file.files))]
    if [np.shape(v) for v in saved] != [np.shape(v) for v in leaves]:
        raise SystemExit(f"{path} is of another network or vocabulary: remove it to begin anew.")
    state: State = jax.tree.unflatten(shape, [jnp.asarray(v) for v in saved])
    return state._replace(step=int(state.step))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("domain", choices=("household", "tabletop"))
    parser.add_argument("pictures", type=Path)
    parser.add_argument("work", type=Path)
    parser.add_argument("--steps", type=int, default=12000)
    parser.add_argument("--others", type=Path, help="pictures of the other domain, as foreign ones")
    given = parser.parse_args()
    known = load_part(given.pictures, given.domain, "training", net.SIDE)
    print(f"{len(known.pictures)} pictures, {len(known.rows)} questions", flush=True)
    choosing = load_part(given.pictures, given.domain, "choosing", net.SIDE)
    others = load_others(given.others, given.domain, net.SIDE) if given.others else None
    trained = train(known, choosing, vocabulary(known.questions), given.work, given.steps, others)

    from training.export import export
    from training.report import write_report

    words = vocabulary(known.questions)
    eye = export(given.domain, trained, words, known, given.pictures, given.work, others)
    write_report(eye, given.domain, given.pictures, given.work)
