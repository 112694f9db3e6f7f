"""Write a trained network as the files of an eye (`core.vqa.eye.eye_file`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from hashlib import sha256
from pathlib import Path

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from core.vqa.eye.eye import Eye
from core.vqa.eye.eye_file import EyeCard, head_shapes, write_eye
from training import net
from training.calibrate import calibrate
from training.covers import with_covers
from training.data import LabelledQuestions, QuestionVocabulary, load_part

Arrays = Mapping[str, NDArray[np.float32]]
ROBOTS = {"household": ("kitchen",), "tabletop": ("ur5e",)}
_HALVES = {
    "tabletop": 24_000
}  # its camera stands still: no seam where two pictures meet; the shipped eye had 17,500


def export(
    domain: str,
    trained: Arrays,
    words: QuestionVocabulary,
    known: LabelledQuestions,
    pictures: Path,
    work: Path,
    others: NDArray[np.uint8] | None = None,
    photos: Sequence[NDArray[np.uint8]] = (),
) -> Path:
    """Write the eye to WORK/eye and return that folder. `others`, `photos`: see `calibrate`."""
    folder = work / "eye"
    folder.mkdir(parents=True, exist_ok=True)
    trunk = trunk_model(trained).SerializeToString()
    (folder / "trunk.onnx").write_bytes(trunk)
    weights = sha256(b"".join(np.ascontiguousarray(trained[name]).tobytes() for name in sorted(trained)))
    card = EyeCard(
        name=f"eye-{domain}",
        version=f"{date.today().isoformat()}-{weights.hexdigest()[:6]}",
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
        robots=ROBOTS[domain],
        trunk=sha256(trunk).hexdigest(),
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
    choosing = load_part(pictures, domain, "choosing", card.side)
    calibrate(folder, card, head, known, choosing, others, photos, _HALVES.get(domain, 0))
    write_eye(folder, *with_covers(Eye(folder), known.pictures, choosing.pictures, photos))
    return folder


def trunk_model(trained: Arrays) -> onnx.ModelProto:
    """Return the trunk as an ONNX model: 1 x 3 x SIDE x SIDE in, 1 x channels x grid x grid out."""
    nodes, weights, now = [], [], "picture"
    for name, _, _, stride in net.TRUNK:
        weights.append(numpy_helper.from_array(trained[f"{name}_weight"], f"{name}_weight"))
        weights.append(numpy_helper.from_array(trained[f"{name}_bias"], f"{name}_bias"))
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
