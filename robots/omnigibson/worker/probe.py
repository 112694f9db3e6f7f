"""Print what this interpreter has of OmniGibson, as JSON on stdout. It starts nothing.

`python robots/omnigibson/worker/probe.py [--torch] ACTIVITY...`; with `--torch` torch is imported too.
"""

import glob
import json
import os
import shutil
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from typing import Any

ENDING = "_task_{}_0_0_template.json"


def package_version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""


def folder_of(package: str) -> str:
    """Return the folder of a package that is installed, without importing it."""
    spec = find_spec(package)
    places = list(spec.submodule_search_locations or ()) if spec else []
    return places[0] if places else ""


def data_folders(package: str) -> "list[str]":
    """Return where the data set should be: by the variables of all versions, else beside the package."""
    named = [os.environ.get(name, "") for name in ("OMNIGIBSON_DATASET_PATH", "OMNIGIBSON_DATA_PATH")]
    if any(named):
        return [os.path.expanduser(name) for name in named if name]
    beside = os.path.join(os.path.dirname(os.path.dirname(package)), "datasets")
    return [os.path.join(package, "data", "og_dataset"), beside] if package else []


def scenes_with(folders: "list[str]", activity: str) -> "list[str]":
    ending = ENDING.format(activity)
    found = set()
    for folder in folders:
        for middle in ("", "*"):
            pattern = os.path.join(folder, middle, "scenes", "*", "json", "*" + ending)
            found |= {os.path.basename(path)[: -len(ending)] for path in glob.glob(pattern)}
    return sorted(found)


def graphics_cards() -> "list[str]":
    """Return name, memory and driver of each NVIDIA card."""
    command = shutil.which("nvidia-smi")
    if not command:
        return []
    query = [command, "--query-gpu=name,memory.total,driver_version", "--format=csv,noheader"]
    try:
        run = subprocess.run(query, capture_output=True, text=True, timeout=20, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return []
    return [line.strip() for line in run.stdout.splitlines() if line.strip()] if run.returncode == 0 else []


def probe(activities: "list[str]", import_torch: bool) -> "dict[str, Any]":
    package = folder_of("omnigibson")
    folders = data_folders(package)
    torch_error = ""
    if import_torch and find_spec("torch") is not None:
        try:
            import torch  # noqa: F401
        except Exception as error:
            torch_error = f"{type(error).__name__}: {error}"
    key = os.environ.get("OMNIGIBSON_KEY_PATH") or os.path.join(package, "data", "omnigibson.key")
    return {
        "python": list(sys.version_info[:3]),
        "omnigibson": package_version("omnigibson") or ("unknown" if package else ""),
        "bddl": package_version("bddl") or ("unknown" if find_spec("bddl") else ""),
        "torch": bool(find_spec("torch")),
        "torch_error": torch_error,
        "isaacsim": bool(find_spec("isaacsim")),
        "isaac_path": os.environ.get("ISAAC_PATH", ""),
        "exp_path": os.environ.get("EXP_PATH", ""),
        "licence": os.environ.get("OMNI_KIT_ACCEPT_EULA", ""),
        "data": [folder for folder in folders if os.path.isdir(folder)],
        "data_wanted": folders,
        "key": key if os.path.isfile(os.path.expanduser(key)) else "",
        "scenes": {activity: scenes_with(folders, activity) for activity in activities},
        "cards": graphics_cards(),
        "free_gb": shutil.disk_usage(os.path.expanduser("~")).free // 10**9,
    }


if __name__ == "__main__":
    sys.path[:] = [
        entry for entry in sys.path if os.path.abspath(entry) != os.path.dirname(os.path.abspath(__file__))
    ]
    names = [argument for argument in sys.argv[1:] if not argument.startswith("--")]
    print(json.dumps(probe(names, "--torch" in sys.argv)))
