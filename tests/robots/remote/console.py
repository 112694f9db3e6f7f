"""A console in a process of its own, in a long step: `python -m tests.robots.remote.console OPTIONS`."""

from __future__ import annotations

import json
import sys

from core.planning import domain_library, semantics
from robots.registry import make_robot
from tests.permitted import do

if __name__ == "__main__":
    folder, task = domain_library.load_task("halve_egg")
    step = semantics.applicable_steps(task.problem, task.problem.state)[0]
    options = json.loads(sys.argv[1])
    do(make_robot("remote", domain_spec=folder, task=task, pictures=False, pace=30.0, options=options), step)
