"""Time of an iteration with one and with two processes of one thread each, taking turns, and the
bytes that they send, beside those of the formula in docs/scaling.md.

  bench/run processes [INSTANCES]
"""

import os
import subprocess
import sys
from pathlib import Path

program = Path(__file__).parent.parent / "build/release/bench/processes_bench"
instances = sys.argv[1] if len(sys.argv) > 1 else "100000"
environment = {
    **os.environ,
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
}


def measure(processes, precision):
    done = subprocess.run(
        ["mpirun", "-n", str(processes), "--bind-to", "core", program, instances, "6", precision],
        env=environment, capture_output=True, text=True, check=True)  # fmt: skip
    return [float(word) for word in done.stdout.split()]


for precision in ("full", "mixed"):
    best = {1: 1e9, 2: 1e9}
    last = {}
    for _ in range(3):
        for processes in best:
            seconds, *last[processes] = measure(processes, precision)
            best[processes] = min(best[processes], seconds)
    sent, returned, predicted, log_joint = last[2]
    print(f"N = {instances}, {precision}: {1000 * best[1]:.1f} ms with one process, "
          f"{1000 * best[2]:.1f} ms with two: efficiency {best[1] / best[2] / 2:.2f}")  # fmt: skip
    print(f"  bytes an iteration: {sent:.0f} to the first process, {returned:.0f} from it; "
          f"predicted {predicted:.0f}; same result: {last[1][3] == log_joint}")  # fmt: skip
