"""Hides what extras install from a Python and from all that it starts:

PYTHONPATH=tests/without WITHOUT=ur5e,video python ..., or WITHOUT=all
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType

EXTRAS = {  # of pyproject.toml, and their modules
    "fast-downward": ("up_fast_downward",),
    "ur5e": ("rtde_control", "rtde_receive", "rtde_io", "dashboard_client"),
    "video": ("av",),
    "ompl": ("ompl",),
    "realsense": ("pyrealsense2",),
    "wishes": ("pydantic_monty",),
    "cluster": ("ray",),
    "datasets": ("pyarrow",),
    "foxglove": ("foxglove",),
    "mcap": ("mcap", "mcap_protobuf", "foxglove_schemas_protobuf"),
    "train": ("torch", "onnx", "skimage"),
}
WITHOUT = os.environ.get("WITHOUT", "").replace("all", ",".join(EXTRAS)).split(",")
HIDDEN = {module for extra in WITHOUT if extra for module in EXTRAS[extra]}


class Others(PathFinder):
    """Finds all other modules."""

    @classmethod
    def find_spec(
        cls, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        return None if fullname.partition(".")[0] in HIDDEN else super().find_spec(fullname, path, target)


if HIDDEN and PathFinder in sys.meta_path:  # else it is loaded once more, by a test
    sys.meta_path[sys.meta_path.index(PathFinder)] = Others
