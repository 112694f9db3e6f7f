"""Run the emulator as a child of this program: start it, wait until it is ready, end it."""

from __future__ import annotations

import subprocess
import sys
from threading import Thread

from core.errors import RobotError
from core.install_paths import ROOT
from robots.ur5e.gripper.model import DEFAULT_GRIPPER, GRIPPERS
from robots.ur5e.scene_file import DEFAULT_SCENE, SCENES


class EmulatorProcess:
    """One emulator on one address. `close` ends it; it also ends when this process does."""

    def __init__(
        self,
        address: str,
        scene: str = DEFAULT_SCENE,
        seed: int = 0,
        cameras: bool = True,
        gripper: str = DEFAULT_GRIPPER,
    ) -> None:
        words = [address, str(SCENES.path(scene)), str(seed), str(GRIPPERS.path(gripper))]
        words += [] if cameras else ["blind"]
        self.address = address
        self._process = subprocess.Popen(
            [sys.executable, "-m", "robots.ur5e.emulator", *words],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            start_new_session=True,  # Ctrl+C in a terminal stops the motion, and not the emulator
        )
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line.startswith("UR5e emulator"):
            self.close()
            raise RobotError(f"The emulator did not start: {line.strip() or 'it ended without a message'}.")
        Thread(target=self._process.stdout.read, daemon=True).start()  # keep the pipe from filling up

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    def close(self) -> None:
        if self.alive:
            self._process.terminate()
            try:
                self._process.wait(5)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait(5)
        if self._process.stdin:
            self._process.stdin.close()


def start_emulator(scene: str = DEFAULT_SCENE, seed: int = 0, cameras: bool = True) -> EmulatorProcess:
    """Start an emulator on the first free loopback address: 127.0.0.1, 127.0.0.2, ... Raises RobotError."""
    for host in range(1, 30):
        try:
            return EmulatorProcess(f"127.0.0.{host}", scene, seed, cameras)
        except RobotError as error:
            if "cannot listen" not in str(error):
                raise
    raise RobotError("No loopback address from 127.0.0.1 to 127.0.0.29 is free for an emulator: end some.")
