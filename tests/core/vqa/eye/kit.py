"""A tiny eye: a picture of 16 x 16, four features (its colour and its grey) in 4 x 4 cells, one question."""

from dataclasses import asdict, replace
from pathlib import Path
from shutil import copy

import numpy as np
from numpy.typing import NDArray

from core.data_file import write_toml
from core.vqa.eye.eye_file import EyeCard, head_shapes

QUESTION = "lit, lamp 1"
TRUNK = Path(__file__).parents[3] / "fixtures" / "eye" / "trunk.onnx"
CARD = EyeCard(
    name="tiny",
    version="1",
    about="",
    trained_on="",
    command="",
    weaknesses="",
    side=16,
    grid=4,
    channels=4,
    predicates=("lit",),
    objects=("", "lamp 1"),
    questions=(QUESTION,),
    foreign_limit=0.5,
    distance_limit=1e9,
    seam_limit=0.85,
)


def tiny_eye(folder: Path, **changed: NDArray[np.float32]) -> Path:
    """Write an eye that says yes to what is red, no to what is green, "cannot be seen" to what is dark, and
    takes what is blue for a foreign picture.
    """
    folder.mkdir(parents=True, exist_ok=True)
    head = {name: np.zeros(shape, np.float32) for name, shape in head_shapes(CARD).items()}
    head["first"] = head["second"] = np.eye(4, dtype=np.float32)
    head["hidden"][0, YES] = head["hidden"][1, NO] = 20
    head["out"][:3] = np.eye(3)
    head["out_bias"][UNSEEN] = 4
    head["foreign"][2] = 1
    head["scale"][:] = 1
    write(folder, CARD, {**head, **changed})
    return folder


NO, YES, UNSEEN = range(3)


def write(folder: Path, card: EyeCard, head: dict[str, NDArray[np.float32]]) -> None:
    write_toml(folder / "eye.toml", asdict(replace(card)))
    np.savez(folder / "head.npz", **head)
    copy(TRUNK, folder / "trunk.onnx")


def picture(red: int, green: int, blue: int) -> NDArray[np.uint8]:
    return np.full((20, 30, 3), (red, green, blue), np.uint8)


RED, GREEN, BLUE, DARK = picture(255, 60, 60), picture(60, 255, 60), picture(60, 60, 255), picture(0, 0, 12)
