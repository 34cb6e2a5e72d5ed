"""Draws in memory, and in a file beyond a limit: peak memory and time of training and predicting.

bench/run draws [FEATURES]    (default: 50,000, of which 100 draws take 2 GB)
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

program = Path(__file__).parent.parent / "build/release/m3lak"
features = int(sys.argv[1]) if len(sys.argv) > 1 else 50_000


def run(*arguments):
    begin = time.perf_counter()
    process = subprocess.Popen([str(program), *map(str, arguments)], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit(f"m3lak {arguments[0]} failed")
    return time.perf_counter() - begin, usage.ru_maxrss / 1024


with tempfile.TemporaryDirectory() as folder:
    data, model = Path(folder) / "wide.npz", Path(folder) / "model.m3lak"
    run("simulate", "-o", data, "--instances", 300, "--views", f"{features // 2},{features // 2}",
        "--quiet")  # fmt: skip
    titles = ("draws-memory", "train, s", "peak, MiB", "predict, s", "peak, MiB")
    print(" ".join(f"{title:>12}" for title in titles))
    for limit in (100_000, 256):
        trained = run("train", data, "-o", model, "--scaling", "center", "--calibrate", "no",
                      "--iterations", 200, "--burn-in", 100, "--thin", 1, "--quiet",
                      "--draws-memory", limit)  # fmt: skip
        predicted = run("predict", model, data, "-o", Path(folder) / "out.csv", "--quiet")
        numbers = [f"{seconds:12.1f} {peak:12.0f}" for seconds, peak in (trained, predicted)]
        print(f"{limit:12}", *numbers)
    print(f"the model file has {model.stat().st_size / 2**20:.0f} MiB")
