"""A child for the tests: says back what it hears, and obeys a few words."""

import ctypes
import os
import sys
import time

from robots.remote.supervised_process import ChildSide

if __name__ == "__main__":
    parent = ChildSide(lambda message: None, lambda why: os._exit(3), timeout=float(sys.argv[1]))
    print("a word on stdout is no message")
    while True:
        message = parent.messages.get()
        if message.kind == "die":
            os._exit(7)
        if message.kind == "hold":
            os.kill(os.getpid(), 19)  # SIGSTOP
        if message.kind == "lock":  # as ur_rtde while it connects
            ctypes.PyDLL(None).usleep(int(1e6 * message.number("seconds")))
        if message.kind == "think":
            time.sleep(message.number("seconds"))
        parent.send("heard", text=message.text("text"))
