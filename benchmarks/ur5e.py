"""Measure the emulated UR5e: how fast a stop is, and what the 500 Hz cost.

Run: python benchmarks/ur5e.py [VERB]

stop           from the call until the joints stand still (RTDE at 125 Hz), from about 0.5 rad/s, five times
soak SECONDS   the window collects toys with it, again and again: packages a second, lateness of the ticks,
               memory and processor time of emulator and console, and the load of the machine beside them
kill           how long the arm keeps moving, from 0.5 rad/s, after `kill -9` of the process that moved it
seeds N [FIRST] N episodes of collecting toys, with the simulated answerer and all situations of the paper;
               a stand-in for the person releases the arm where it was halted because data came late

Without a verb: stop and kill.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from statistics import median
from threading import Thread

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.sizes import sized
from core.cancel import Cancel
from core.events import EpisodeEnded
from core.loop.episode_loop import run_episode
from core.loop.gate import AutoOperator
from core.methods.registry import make_method
from core.operator import Decision, Proceed, Proposal, ProposalKind
from core.planning import domain_library
from core.planning.planner import make_planner
from core.ports import Embodiment, GroundTruth
from core.vqa.registry import make_answerer
from robots.ur5e.arm import Arm
from robots.ur5e.arm_setup import EMULATED_SETUP, ArmLimits
from robots.ur5e.emulator.admin_client import AdminClient, switch_on
from robots.ur5e.emulator.process import EmulatorProcess, start_emulator
from robots.ur5e.modes import RobotMode
from robots.ur5e.rtde_receiver import RtdeReceiver
from robots.ur5e.tabletop.emulated_robot import make_tabletop_robot
from tests.permitted import move_joints

ROOT = Path(__file__).parent.parent
TIMES = sized(5, 1)
CONSOLE = """
import os, sys, tempfile, threading
from pathlib import Path
import main
from PySide6.QtCore import QMetaObject, Qt, QTimer
from PySide6.QtWidgets import QApplication
from app.main import SWITCH, Console
from app.preferences import Preferences
from app.episode.session import SessionStage
from core.config import Settings
from core.supervision import SUPERVISION_PRESETS
from core.episode_state import Phase
from robots.registry import ROBOTS
from robots.ur5e.emulator.admin_client import AdminClient
sys.setswitchinterval(SWITCH)
app = QApplication([])
with tempfile.TemporaryDirectory() as place:
    place = Path(place)
    settings = Settings(task="collect_toys", robot="ur5e", openness=0.0)
    preferences = Preferences(place, supervision=SUPERVISION_PRESETS["Watch"])
    console = Console(app, main.make_components, settings, place / "log.db", preferences, ROBOTS)
    console.show()
    own, seen = AdminClient(os.environ["DKPROMPT_UR5E"]), {"begun": False, "told": False, "over": 0}
    places = own.ask("truth").body["things"]
    def look():
        if not console.window.isVisible():
            return
        session = console.controller.session  # held by nobody here: what is over may be freed
        if session.stage is SessionStage.READY and session.components and not seen["begun"]:
            print("attached", flush=True)
            seen["begun"] = True
            console.controller.start()
        elif (state := console.controller.state).phase is Phase.STOPPED and state.proposal is not None:
            print("released:", state.proposal.explanation, flush=True)  # an emulator hurts nobody
            console.bindings.release_stop()
        elif session.stage is SessionStage.RUNNING:
            seen["told"] = False
        elif session.stage is SessionStage.OVER and not seen["told"]:
            seen["told"] = True
            seen["over"] += 1
            ended = session.state.ended
            print(f"episode {seen['over']}: {ended.result.value if ended else ended}", flush=True)
            for thing, at in places.items():
                own.ask("put", thing=thing, at=at[:3])
            console.controller.start()
    timer = QTimer(interval=200)
    timer.timeout.connect(look)
    timer.start()
    def end():
        sys.stdin.read()
        QMetaObject.invokeMethod(console.window, "close", Qt.ConnectionType.QueuedConnection)
    threading.Thread(target=end, daemon=True).start()
    app.exec()
"""
MOVER = """
import sys, dataclasses
from core.cancel import Cancel
from robots.ur5e.arm import Arm
from robots.ur5e.rtde_receiver import RtdeReceiver
from robots.ur5e.arm_setup import EMULATED_SETUP, ArmLimits
from tests.permitted import move_joints
fast = ArmLimits(tool_speed=1.0)
arm = Arm(dataclasses.replace(EMULATED_SETUP, address=sys.argv[1], watchdog=float(sys.argv[2]), limits=fast))
arm.connect(); arm.release_stop(0)
a, *rest = arm.state.q
print(move_joints(arm, (a - 0.9 if a > 3.2 else a + 0.9, *rest), Cancel(), 0.5))
"""
BARE = """
import sys, time
from rtde_control import RTDEControlInterface
from rtde_receive import RTDEReceiveInterface
address, deceleration = sys.argv[1], float(sys.argv[2])
r, c = RTDEReceiveInterface(address), RTDEControlInterface(address)
q = r.getActualQ()
for n in range(int(sys.argv[3])):
    goal = list(q); goal[0] += -0.9 if n % 2 == 0 else 0.9
    c.moveJ(goal, 0.5, 1.4, True)
    while abs(r.getActualQd()[0]) < 0.45: time.sleep(0.002)
    began = time.perf_counter(); c.stopJ(deceleration)
    while max(map(abs, r.getActualQd())) > 0.002: time.sleep(0.001)
    print(time.perf_counter() - began, flush=True)
c.stopScript(); c.disconnect(); r.disconnect()
"""


def bare(address: str, deceleration: float) -> list[float]:
    """Stop by ur_rtde's own stopJ, in a process of its own as its defects demand."""
    command = [sys.executable, "-c", BARE, address, str(deceleration), str(TIMES)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    return [float(line) for line in done.stdout.split()]


def ours(arm: Arm) -> list[float]:
    """Stop by `halt`, as the stop key does."""
    found = []
    for n in range(TIMES):
        arm.release_stop(1 << 30)
        assert arm.state is not None
        a, *rest = arm.state.q
        goal = (a + (-0.9 if n % 2 == 0 else 0.9), *rest)
        mover = Thread(target=move_joints, args=(arm, goal, Cancel(), 0.5))
        mover.start()
        assert arm.receiver.wait(lambda s: abs(s.qd[0]) > 0.45, 10), "it does not move"
        number = arm.halt()
        mover.join()
        until(lambda number=number: any(s.number == number for s in arm.stops))  # type: ignore[misc]
        found += [s.seconds for s in arm.stops if s.number == number and s.seconds is not None]
    return found


def until(condition: Callable[[], bool]) -> None:
    while not condition():
        time.sleep(0.01)


def stops(process: EmulatorProcess, arm: Arm) -> None:
    rows = [("halt (dashboard stop and stopJ)", ours(arm))]
    arm.control.end_process()
    rows += [(f"ur_rtde stopJ({d:g})", bare(process.address, d)) for d in (20.0, 2.0)]
    base = median(rows[0][1])
    for name, seconds in rows:
        ms = [1000 * s for s in seconds]
        ratio = median(seconds) / base
        print(f"{name:34} median {median(ms):6.0f} ms, most {max(ms):6.0f} ms, ratio {ratio:5.1f}")


def soak(process: EmulatorProcess, seconds: float) -> None:
    """Run the console as a process of its own, as a person does; offscreen if there is no display."""
    console = subprocess.Popen(
        [sys.executable, "-c", CONSOLE],
        cwd=ROOT,
        env={"QT_QPA_PLATFORM": "offscreen", **os.environ, "DKPROMPT_UR5E": process.address},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert console.stdout is not None and console.stdin is not None
    own = AdminClient(process.address)
    try:
        for line in console.stdout:
            print(line.strip(), flush=True)
            if line.startswith("attached"):
                break
        else:
            raise SystemExit("the console did not attach")
        Thread(target=lambda: [print(line.strip(), flush=True) for line in console.stdout or ()]).start()
        watched(process, own, console.pid, seconds)
    finally:
        own.close()
        console.stdin.close()  # makes it close its window and end
        console.wait(60)


def watched(process: EmulatorProcess, own: AdminClient, console: int, seconds: float) -> None:
    arm = RtdeReceiver(process.address)
    arm.wait(lambda s: True, 10)
    packages, losses, began = arm.packages, arm.link_losses, time.perf_counter()
    first = {name: usage(pid) for name, pid in (("emulator", process.pid), ("console", console))}
    while (passed := time.perf_counter() - began) < seconds:
        time.sleep(min(30.0, seconds - passed + 0.01))
        status, passed = own.ask("status"), time.perf_counter() - began
        costs = []
        for name, pid in (("emulator", process.pid), ("console", console)):
            rss, cpu = usage(pid)
            share = 100 * (cpu - first[name][1]) / passed
            costs.append(f"{name} {rss:.0f} MiB ({rss - first[name][0]:+.1f}), {share:.0f} %")
        print(
            f"{passed:6.0f} s: {status.number('hertz'):6.1f} Hz, "
            f"late 99 % {status.number('late_99_ms'):5.1f} ms, most "
            f"{status.number('late_most_ms'):6.1f} ms, lost {status.number('lost_s'):.2f} s, received "
            f"{(arm.packages - packages) / passed:5.1f}/s, {arm.link_losses - losses} links lost, "
            f"{'; '.join(costs)}; load {os.getloadavg()[0]:.1f}",
            flush=True,
        )
    arm.close()


def kill(process: EmulatorProcess) -> None:
    """Measure how many seconds the joints keep moving after the signal."""
    arm = RtdeReceiver(process.address)
    for watchdog, which in ((4.0, "with the watchdog"), (0.1, "by the closed pipe alone")):
        found = []
        for _ in range(TIMES):
            console = subprocess.Popen(
                [sys.executable, "-c", MOVER, process.address, str(watchdog)], cwd=ROOT
            )
            assert arm.wait(lambda s: abs(s.qd[0]) > 0.45, 30), "it does not move"
            began = time.perf_counter()
            console.kill()
            assert arm.wait(lambda s: s.at_standstill, 10), "it does not stop"
            found.append(1000 * (time.perf_counter() - began))
            console.wait()
            time.sleep(2)  # the child ends by itself
        told = f"median {median(found):6.0f} ms, most {max(found):6.0f} ms; load {os.getloadavg()[0]:.1f}"
        print(f"kill -9 in mid-move, {which:26} {told}", flush=True)
    arm.close()


class Present(AutoOperator):
    """An operator for the emulator who releases a halt without checking; nobody can be hurt."""

    def __init__(self) -> None:
        super().__init__(Embodiment.EMULATED)
        self.halts: list[str] = []

    def decide(self, proposal: Proposal) -> Decision:
        if proposal.kind is ProposalKind.STOP_RELEASE and len(self.halts) < 20:
            self.halts.append(proposal.explanation)
            return Proceed(proposal.stop_number)
        return super().decide(proposal)


def collected(seed: int) -> tuple[EpisodeEnded, list[str]]:
    """Run one whole episode. Return how it ended, and why the arm was halted on the way."""
    folder, task = domain_library.load_task("collect_toys")
    robot = make_tabletop_robot(folder, task, seed=seed)
    person = Present()
    try:
        assert isinstance(robot, GroundTruth)
        events = run_episode(
            task.name,
            task.problem,
            robot,
            make_answerer("perfect", truth=robot, seed=seed),
            make_planner("pyperplan"),
            make_method("dkprompt", folder, task.problem),
            person,
            Cancel(),
        )
        (ended,) = (e for e in events if isinstance(e, EpisodeEnded))
    finally:
        robot.close()
    return ended, person.halts


def seeds(number: int, first: int) -> None:
    successes = 0
    for seed in range(first, first + number):
        began = time.perf_counter()
        ended, halts = collected(seed)
        successes += bool(ended.true_goal)
        print(
            f"seed {seed}: {'all collected' if ended.true_goal else ended.result.value}, "
            f"{time.perf_counter() - began:.0f} s, {len(halts)} halts {sorted(set(halts)) or ''}; "
            f"load {os.getloadavg()[0]:.1f}",
            flush=True,
        )
    print(f"{successes} of {number} collect all toys")


def usage(pid: int) -> tuple[float, float]:
    """Return the resident MiB and the processor seconds of a process (Linux)."""
    words = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return int(words[21]) * 4096 / 2**20, (int(words[11]) + int(words[12])) / 100


def main(words: list[str]) -> None:
    verb = words[0] if words else ""
    if verb == "seeds":
        seeds(int(words[1]), int(words[2]) if len(words) > 2 else 0)
        return
    process = start_emulator("tabletop" if verb == "soak" else "empty", cameras=verb == "soak")
    try:
        if verb == "soak":
            soak(process, float(words[1]))
            return
        arm = Arm(replace(EMULATED_SETUP, address=process.address, limits=ArmLimits(tool_speed=1.0)))
        try:
            arm.connect()
            switch_on(process.address)
            arm.receiver.wait(lambda state: state.robot is RobotMode.RUNNING, 10)
            arm.release_stop(0)
            if verb in ("", "stop"):
                stops(process, arm)
        finally:
            arm.close()
        if verb in ("", "kill"):
            kill(process)
    finally:
        process.close()


if __name__ == "__main__":
    main(sys.argv[1:])
