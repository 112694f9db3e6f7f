"""Write a trained network as the files of an eye (`core.vqa.eye.eye_file`), calibrated on the choosing
seeds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from datetime import date
from pathlib import Path

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from core.data_file import write_toml
from core.vqa.eye.eye import Eye, pool, run_head
from core.vqa.eye.eye_file import EyeCard, head_shapes
from training import net
from training.data import Asked, Vocabulary, load_part

Arrays = Mapping[str, NDArray[np.float32]]

KEPT = 0.997  # share of our own pictures (of the choosing seeds) that pass each of the two tests
_RIDGE = 1e-3
_FIT_STEPS, _FIT_RATE, _PULL = 400, 0.05, 1e-3


def export(domain: str, trained: Arrays, words: Vocabulary, known: Asked, pictures: Path, work: Path) -> Path:
    """Write the eye to WORK/eye and return that folder."""
    folder = work / "eye"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "trunk.onnx").write_bytes(trunk_model(trained).SerializeToString())
    card = EyeCard(
        name=f"eye-{domain}",
        version=date.today().isoformat(),
        about=f"A network of {sum(v.size for v in trained.values()):,} parameters for the {domain}.",
        trained_on=f"{len(known.pictures):,} simulated stills",
        command=f"make train-eye ARGS={domain}",
        weaknesses="See docs/eye.md.",
        side=net.SIDE,
        grid=net.GRID,
        channels=net.CHANNELS,
        predicates=words.predicates,
        objects=words.objects,
        questions=words.questions,
        foreign_limit=1e9,
        distance_limit=1e9,
    )
    c, kinds = card.channels, len(card.predicates)
    head: dict[str, NDArray[np.float32]] = {
        **{name: trained[name] for name in head_shapes(card) if name in trained},
        "known_mean": np.zeros(2 * c, np.float32),
        "known_whiten": np.eye(2 * c, dtype=np.float32),
        "scale": np.ones((kinds, 3), np.float32),
        "shift": np.zeros((kinds, 3), np.float32),
    }
    write_eye(folder, card, head)
    return calibrate(folder, card, head, known, load_part(pictures, domain, "choosing", card.side))


def write_eye(folder: Path, card: EyeCard, head: Arrays) -> None:
    with (folder / "head.npz").open("wb") as file:
        np.savez(file, **{name: np.asarray(head[name], np.float32) for name in head_shapes(card)})
    write_toml(folder / "eye.toml", asdict(card))


def calibrate(
    folder: Path, card: EyeCard, head: dict[str, NDArray[np.float32]], known: Asked, choosing: Asked
) -> Path:
    """Fit what the choosing seeds decide: scale and shift of the logits, and what counts as foreign."""
    eye = Eye(folder)
    some = known.pictures[:: max(1, len(known.pictures) // 1500)]
    ours = np.stack([pool(eye.look(rgb).features) for rgb in some])
    mean, spread = ours.mean(0), np.cov(ours.T)
    values, vectors = np.linalg.eigh(spread)
    head["known_mean"] = mean
    head["known_whiten"] = vectors / np.sqrt(np.maximum(values, 0) + _RIDGE * values.max())
    features = [eye.look(rgb).features for rgb in choosing.pictures]
    held = np.stack([pool(f) for f in features])
    scores = held @ head["foreign"] + head["foreign_bias"][0]
    distances = np.square((held - mean) @ head["known_whiten"]).mean(1)
    ids = np.array([question_row(card, q) for q in choosing.questions])
    logits, labels, kinds = [], [], []
    for number, seen in enumerate(features):
        rows = choosing.rows[choosing.rows[:, 0] == number]
        logits.append(run_head(head, seen, ids[rows[:, 1]])[0])
        labels.append(rows[:, 2])
        kinds.append(ids[rows[:, 1], 0])
    for kind in range(len(card.predicates)):
        mine = np.concatenate(kinds) == kind
        if mine.any():
            fit = fit_scale(np.concatenate(logits)[mine], np.concatenate(labels)[mine])
            head["scale"][kind], head["shift"][kind] = fit
    limits = {
        "foreign_limit": float(np.quantile(scores, KEPT)) + 0.5,
        "distance_limit": float(np.quantile(distances, KEPT)) * 1.1,
    }
    write_eye(folder, EyeCard(**{**asdict(card), **limits}), head)
    return folder


def question_row(card: EyeCard, question: str) -> tuple[int, int, int]:
    return Vocabulary(card.predicates, card.objects, card.questions).ids(question)


def fit_scale(logits: NDArray[np.float32], labels: NDArray[np.int32]) -> tuple[NDArray[np.float32], ...]:
    """Fit vector scaling (Guo et al. 2017) by gradient descent, pulled towards no change."""
    scale, shift = np.ones(3), np.zeros(3)
    truth = np.eye(3)[labels]
    for _ in range(_FIT_STEPS):
        raised = logits * scale + shift
        shares = np.exp(raised - raised.max(1, keepdims=True))
        slope = (shares / shares.sum(1, keepdims=True) - truth) / len(labels)
        scale -= _FIT_RATE * ((slope * logits).sum(0) + _PULL * (scale - 1))
        shift -= _FIT_RATE * (slope.sum(0) + _PULL * shift)
    return scale.astype(np.float32), shift.astype(np.float32)


def trunk_model(trained: Arrays) -> onnx.ModelProto:
    """Return the trunk as an ONNX model: 1 x 3 x SIDE x SIDE in, 1 x channels x grid x grid out."""
    nodes, weights, now = [], [], "picture"
    for name, _, _, stride in net.TRUNK:
        kernel = np.ascontiguousarray(np.asarray(trained[f"{name}_weight"]).transpose(3, 2, 0, 1))
        weights.append(numpy_helper.from_array(kernel, f"{name}_weight"))
        weights.append(numpy_helper.from_array(np.asarray(trained[f"{name}_bias"]), f"{name}_bias"))
        taken = [now, f"{name}_weight", f"{name}_bias"]
        nodes.append(
            helper.make_node(
                "Conv", taken, [f"{name}_sum"], kernel_shape=[3, 3], strides=[stride] * 2, pads=[1] * 4
            )
        )
        nodes.append(helper.make_node("Relu", [f"{name}_sum"], [f"{name}_out"]))
        before, now = now, f"{name}_out"
        if stride == 1:
            nodes.append(helper.make_node("Add", [before, now], [f"{name}_both"]))
            now = f"{name}_both"
    graph = helper.make_graph(
        nodes,
        "trunk",
        [helper.make_tensor_value_info("picture", TensorProto.FLOAT, [1, 3, net.SIDE, net.SIDE])],
        [helper.make_tensor_value_info(now, TensorProto.FLOAT, [1, net.CHANNELS, net.GRID, net.GRID])],
        weights,
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    onnx.checker.check_model(model)
    return model
