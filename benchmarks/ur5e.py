"""The emulated UR5e: how fast a stop is, and what the 500 Hz cost. `python benchmarks/ur5e.py [soak SECONDS]`

Stop: from the call until the joints stand (RTDE at 125 Hz), from about 0.5 rad/s, five times each.
Soak: packages a second, lateness of the ticks, memory and processor time with the driver attached.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from statistics import median
from threading import Thread

sys.path.insert(0, str(Path(__file__).parent.parent))

from core.cancel import Cancel
from robots.ur5e.arm import Arm
from robots.ur5e.emulator.client import OwnClient
from robots.ur5e.emulator.process import EmulatorProcess, started
from robots.ur5e.setup import EMULATED, Limits

TIMES = 5
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
    """ur_rtde's own stopJ, in a process of its own as its defects demand."""
    command = [sys.executable, "-c", BARE, address, str(deceleration), str(TIMES)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    return [float(line) for line in done.stdout.split()]


def ours(arm: Arm) -> list[float]:
    """`halt`, as the stop key calls it."""
    found = []
    for n in range(TIMES):
        arm.ready(1 << 30)
        assert arm.state is not None
        a, *rest = arm.state.q
        goal = (a + (-0.9 if n % 2 == 0 else 0.9), *rest)
        mover = Thread(target=arm.move_joints, args=(goal, Cancel(), 0.5))
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
    arm.link.end()
    rows += [(f"ur_rtde stopJ({d:g})", bare(process.address, d)) for d in (20.0, 2.0)]
    base = median(rows[0][1])
    for name, seconds in rows:
        ms = [1000 * s for s in seconds]
        ratio = median(seconds) / base
        print(f"{name:34} median {median(ms):6.0f} ms, most {max(ms):6.0f} ms, ratio {ratio:5.1f}")


def soak(process: EmulatorProcess, arm: Arm, seconds: float) -> None:
    own = OwnClient(process.address)
    packages, began = arm.receiver.packages, time.perf_counter()
    first = usage(process.pid)
    while (passed := time.perf_counter() - began) < seconds:
        time.sleep(min(10.0, seconds - passed + 0.01))
        status = own.ask("status")
        rss, cpu = usage(process.pid)
        print(
            f"{time.perf_counter() - began:6.0f} s: {status.number('hertz'):6.1f} Hz, late 99 % "
            f"{status.number('late_99_ms'):5.1f} ms, most {status.number('late_most_ms'):6.1f} ms, lost "
            f"{status.number('lost_s'):.2f} s, received "
            f"{(arm.receiver.packages - packages) / (time.perf_counter() - began):5.1f}/s, "
            f"memory {rss:.0f} MiB ({rss - first[0]:+.1f}), processor "
            f"{100 * (cpu - first[1]) / (time.perf_counter() - began):.0f} %",
            flush=True,
        )
    own.close()


def usage(pid: int) -> tuple[float, float]:
    """Resident MiB and processor seconds of a process (Linux)."""
    words = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return int(words[21]) * 4096 / 2**20, (int(words[11]) + int(words[12])) / 100


def main(words: list[str]) -> None:
    process = started("empty", cameras=False)
    arm = Arm(replace(EMULATED, address=process.address, limits=Limits(tool_speed=1.0)))
    try:
        arm.connect()
        arm.power_on("the benchmark")
        arm.ready(0)
        if words[:1] == ["soak"]:
            soak(process, arm, float(words[1]))
        else:
            stops(process, arm)
            soak(process, arm, 10)
    finally:
        arm.close()
        process.close()


if __name__ == "__main__":
    main(sys.argv[1:])
