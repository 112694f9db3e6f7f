"""Which worker runs which test file: those in real time beside the others, but before them."""

from __future__ import annotations

from functools import cache

from xdist.scheduler import LoadFileScheduling
from xdist.workermanage import WorkerController

ARMS = (
    "tests/robots/ur5e/",
    "tests/app/widgets/test_arm",
    "tests/app/dialogs/test_arm",
    "tests/app/episode/test_arm",
    "tests/app/episode/test_ways_out_arm",
    "tests/app/cli/test_arm",
)
REAL_TIME = (  # an arm's motions, a live view, a stop's delay: they fail where others take their time
    "tests/robots/ur5e/tabletop/test_conformance",  # the longest comes first
    *ARMS,
    "tests/app/widgets/test_kitchen",
    "tests/app/test_looking",
    "tests/app/episode/test_stop",
    "tests/app/episode/test_ways_out",
    "tests/app/review/test_fork_controller",
    "tests/app/review/test_replay",
    "tests/app/review/test_review",
    "tests/robots/kitchen/rendering/test_live",
)
SLOW = (  # begun before the rest, the longest first, so that no worker is alone with one of them in the end
    "tests/robots/test_conformance",
    "tests/robots/kitchen/test_robot",
    "tests/app/dialogs/test_trials",
    "tests/app/dialogs/test_setup",
    "tests/app/cli/test_bench",
    "tests/robots/omnigibson/test_robot",
    "tests/robots/kitchen/motion/test_animator",
    "tests/robots/kitchen/test_eyes",
    "tests/core/vqa/test_secrets_program",
    "tests/core/evaluation/test_trials",
    "tests/test_examples",
    "tests/hostile/test_fuzz",
)
WORKERS = 2  # that begin with the files in real time; these mostly wait


class TwoKinds(LoadFileScheduling):
    """The first workers take the files in real time, and then any; the other workers all but these."""

    def _next(self, node: WorkerController) -> str | None:
        files = self.workqueue.keys()
        # What comes in place of a worker that crashed may take any.
        if WORKERS <= int(node.gateway.id.removeprefix("gw")) < self.numnodes:
            files = [file for file in files if _place(file) >= len(REAL_TIME)]
        return min(files, key=_place, default=None)

    def _assign_work_unit(self, node: WorkerController) -> None:
        if file := self._next(node):
            self.workqueue.move_to_end(file, last=False)
            super()._assign_work_unit(node)

    def _reschedule(self, node: WorkerController) -> None:
        if self.workqueue and self._next(node) is None:
            node.shutdown()
        else:
            super()._reschedule(node)
            # With a single test a worker waits for the next, or for the end: one that came later for ever.
            if not node.shutting_down and self._pending_of(self.assigned_work[node]) < 2:
                self._reschedule(node)

    def remove_node(self, node: WorkerController) -> str | None:
        """As the original, but a test that ended its worker is not run again, to end the next."""
        workload = self.assigned_work.pop(node)
        left = [(unit, test) for unit in workload.values() for test, done in unit.items() if not done]
        if not left:
            return None
        unit, crashed = left[0]
        unit[crashed] = True
        self.workqueue.update({file: unit for file, unit in workload.items() if not all(unit.values())})
        for other in self.assigned_work:
            self._reschedule(other)
        return crashed


@cache  # it is asked of every file after every test
def _place(file: str) -> int:
    order = (*REAL_TIME, *SLOW)
    return next((n for n, start in enumerate(order) if file.startswith(start)), len(order))
