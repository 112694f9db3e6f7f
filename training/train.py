"""Train the eye of a domain. Interrupt it and go on later; the same pictures and steps give the same eye.

python -m training.train household PICTURES WORK [--steps N]

Pictures of the other domain, where PICTURES has some, are foreign ones, and so are the photographs that come
with scikit-image. WORK gets checkpoint.pt, curve.csv (loss, and how it does on the choosing seeds), and at
the end the eye itself with its report (`training.export`, `training.report`). It uses a GPU where PyTorch
finds one.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from dataclasses import dataclass
from math import cos, pi
from pathlib import Path
from time import monotonic

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional as F

from training import net
from training.data import LabelledQuestions, QuestionVocabulary, load_others, load_part, vocabulary
from training.photographs import photographs
from training.sampler import PICTURES, Batch, Sampler

RATE, WARM_UP, DECAY = 2e-3, 100, 1e-3
FOREIGN_WEIGHT = 0.2
AVERAGE = 0.997  # of the weights, which are what is exported
SAVE_EVERY, CHECK_EVERY = 100, 1000  # steps
STEPS = {"household": 12_000, "tabletop": 9_000}
DEVICE = torch.device("cuda" if torch.cuda.is_available() else "cpu")
HALF = DEVICE.type == "cuda" or torch.cpu._is_avx512_bf16_supported()


@dataclass
class State:
    params: net.Params
    average: net.Params
    optimiser: torch.optim.Optimizer
    step: int = 0


def initial_state(words: QuestionVocabulary) -> State:
    params = {k: v.to(DEVICE) for k, v in net.init(0, len(words.predicates), len(words.objects)).items()}
    for name, value in params.items():
        if value.ndim == 4:  # kernels: the order of memory in which a processor is quickest
            params[name] = value.contiguous(memory_format=torch.channels_last)
    average = {name: value.clone() for name, value in params.items()}
    for value in params.values():
        value.requires_grad_()
    return State(params, average, torch.optim.AdamW(params.values(), lr=RATE, weight_decay=DECAY))


def rate_at(step: int, steps: int) -> float:
    """Return the learning rate: a linear rise, then a cosine down to almost nothing."""
    if step < WARM_UP:
        return RATE * step / WARM_UP
    return 1e-5 + (RATE - 1e-5) * (1 + cos(pi * min(1.0, (step - WARM_UP) / max(1, steps - WARM_UP)))) / 2


def loss(params: net.Params, batch: Batch) -> tuple[Tensor, Tensor, Tensor]:
    """Return the loss, the share of right answers, and the loss of telling foreign pictures."""
    ids, labels = (torch.from_numpy(v).to(DEVICE) for v in (batch.ids, batch.labels))
    with torch.autocast(DEVICE.type, torch.bfloat16, enabled=HALF):
        features = net.trunk(params, torch.from_numpy(batch.pixels).to(DEVICE))
        logits = net.head(params, features[: len(ids)], ids).float()
    answers = F.cross_entropy(logits.flatten(0, 1), labels.flatten())
    strange = (torch.arange(len(features), device=DEVICE) >= len(ids)).float()
    elsewhere = F.binary_cross_entropy_with_logits(net.foreign(params, features.float()), strange)
    right = (logits.argmax(-1) == labels).float().mean()
    return answers + FOREIGN_WEIGHT * elsewhere, right, elsewhere


def update(state: State, batch: Batch, steps: int) -> list[float]:
    """Do one step, and return what `loss` returned."""
    for group in state.optimiser.param_groups:
        group["lr"] = rate_at(state.step, steps)
    state.optimiser.zero_grad()
    values = loss(state.params, batch)
    values[0].backward()  # type: ignore[no-untyped-call, unused-ignore]
    torch.nn.utils.clip_grad_norm_(state.params.values(), 1.0)
    state.optimiser.step()
    state.step += 1
    kept = AVERAGE if state.step > WARM_UP else 0.0
    with torch.no_grad():
        for name, value in state.params.items():
            state.average[name].lerp_(value, 1 - kept)
    return [float(v.detach()) for v in values]


def train(
    asked: LabelledQuestions,
    choosing: LabelledQuestions,
    words: QuestionVocabulary,
    work: Path,
    steps: int,
    others: NDArray[np.uint8] | None = None,
    photos: Sequence[NDArray[np.uint8]] = (),
) -> dict[str, NDArray[np.float32]]:
    """Train up to `steps` steps, from the checkpoint if there is one. Return the averaged weights.

    `others` are pictures of another domain (N x side x side x 3), or None; `photos` real photographs.
    """
    work.mkdir(parents=True, exist_ok=True)
    state = initial_state(words)
    _restore(work, state)
    begun, first, recent = monotonic(), state.step, []
    check = WeightCheck(choosing, words)
    for batch in Sampler(asked, words, others, photos).batches(first, steps):
        recent.append(update(state, batch, steps))
        step = state.step
        if step % SAVE_EVERY == 0 or step == steps:
            checked = check(state.average) if step % CHECK_EVERY == 0 or step == steps else ()
            _report(work, step, steps, np.mean(recent, 0), checked, (monotonic() - begun) / (step - first))
            recent.clear()
            _save(work, state)
    return {name: value.contiguous().cpu().numpy() for name, value in state.average.items()}


class WeightCheck:
    """Measures weights on the choosing seeds: right and opposite of what is seen, right of what is not."""

    def __init__(self, asked: LabelledQuestions, words: QuestionVocabulary) -> None:
        self._asked = asked
        self._ids = np.array([words.ids(q) for q in asked.questions])

    def __call__(self, params: net.Params) -> tuple[float, float, float]:
        with torch.no_grad():
            return self._shares(params)

    def _shares(self, params: net.Params) -> tuple[float, float, float]:
        rows, pictures = self._asked.rows, self._asked.pictures
        begins = np.searchsorted(rows[:, 0], np.arange(len(pictures) + 1))
        found = np.zeros((3, 3), np.int64)
        for first in range(0, len(pictures), PICTURES):
            pixels = torch.from_numpy(pictures[first : first + PICTURES]).to(DEVICE)
            features = net.trunk(params, pixels)
            for n, seen in enumerate(features, first):
                mine = rows[begins[n] : begins[n + 1]]
                ids = torch.from_numpy(self._ids[mine[:, 1]]).to(DEVICE)
                said = net.head(params, seen[None], ids[None])[0].argmax(-1).cpu().numpy()
                np.add.at(found, (mine[:, 2], said), 1)
        seen_count = max(1, found[:2].sum())
        unseen_right = found[2, 2] / max(1, found[2].sum())
        opposite = (found[0, 1] + found[1, 0]) / seen_count
        return found.diagonal()[:2].sum() / seen_count, opposite, unseen_right


def _report(
    work: Path, step: int, steps: int, means: NDArray[np.float64], checked: Sequence[float], seconds: float
) -> None:
    value, right, elsewhere = means
    print(
        f"step {step} of {steps}: loss {value:.3f}, right {100 * right:.1f} %, foreign {elsewhere:.3f}; "
        f"{1000 * seconds:.0f} ms a step, {(steps - step) * seconds / 60:.0f} min left",
        flush=True,
    )
    if checked:
        right, opposite, unseen = (100 * share for share in checked)
        print(f"choosing seeds: {right:.2f} % right and {opposite:.2f} % opposite of the seen, ", end="")
        print(f"{unseen:.2f} % right of the unseen", flush=True)
    with (work / "curve.csv").open("a") as file:
        file.write(",".join([str(step), *(f"{v:.5f}" for v in (value, right, elsewhere, *checked))]) + "\n")


def _save(work: Path, state: State) -> None:
    part = work / "checkpoint.part"
    kept = {
        "params": {name: value.detach() for name, value in state.params.items()},
        "average": state.average,
        "optimiser": state.optimiser.state_dict(),
        "step": state.step,
    }
    torch.save(kept, part)
    os.replace(part, work / "checkpoint.pt")


def _restore(work: Path, state: State) -> None:
    path = work / "checkpoint.pt"
    if not path.exists():
        return
    saved = torch.load(path, DEVICE, weights_only=True)
    shapes = {name: value.shape for name, value in state.params.items()}
    if {name: value.shape for name, value in saved["params"].items()} != shapes:
        raise SystemExit(f"{path} is of another network or vocabulary: remove it to begin anew.")
    with torch.no_grad():
        for name, value in state.params.items():
            value.copy_(saved["params"][name])
            state.average[name].copy_(saved["average"][name])
    state.optimiser.load_state_dict(saved["optimiser"])
    state.step = saved["step"]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("domain", choices=("household", "tabletop"))
    parser.add_argument("pictures", type=Path)
    parser.add_argument("work", type=Path)
    parser.add_argument("--steps", type=int, help=f"by default {STEPS}")
    given = parser.parse_args()
    known = load_part(given.pictures, given.domain, "training", net.SIDE)
    print(f"{len(known.pictures)} pictures, {len(known.rows)} questions", flush=True)
    choosing = load_part(given.pictures, given.domain, "choosing", net.SIDE)
    others = load_others(given.pictures, given.domain, net.SIDE)
    words, photos = vocabulary(known.questions), photographs()
    steps = given.steps or STEPS[given.domain]
    trained = train(known, choosing, words, given.work, steps, others, photos)

    from training.export import export
    from training.report import write_report

    eye = export(given.domain, trained, words, known, given.pictures, given.work, others, photos)
    write_report(eye, given.domain, given.pictures, given.work)
