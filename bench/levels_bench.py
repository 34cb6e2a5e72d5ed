"""The portable build at each level of x86-64 that this machine has: which library the loader takes,
how long the same training takes, and whether the results agree.

  bench/run levels    after cmake --preset portable && cmake --build --preset portable
"""

import csv
import subprocess
import sys
import tempfile
import time
from pathlib import Path

build = Path(__file__).parent.parent / "build/portable"
program = build / "m3lak"
loader = "/lib64/ld-linux-x86-64.so.2"
settings = (
    *("--latent", 20, "--features", 100, "--latent-leapfrog", 2, "--frequency-leapfrog", 2),
    *("--linear", 0, "--label-weight", 1, "--scaling", "standardize", "--calibrate", "no"),
    *("--thin", 1, "--weight-leapfrog", 0),
)


def at_level(level, *arguments, **options):
    """Other levels are hidden from the loader; the baseline has no folder of its own."""
    command = [loader, "--glibc-hwcaps-mask", level or "none", program, *arguments]
    return subprocess.run(
        [str(word) for word in command], check=True, capture_output=True, text=True, **options
    )


def library(level):
    found = at_level(level, "--version", env={"LD_DEBUG": "libs"}).stderr
    lines = [line for line in found.splitlines() if "calling init" in line and "libm3lak" in line]
    return Path(lines[0].split("calling init: ")[1]).relative_to(build.resolve())


def scores(folder, level, iterations):
    model = folder / "model"
    length = ("--iterations", iterations, "--burn-in", iterations // 2)
    start = time.perf_counter()
    at_level(level, "train", folder / "data.npz", "-o", model, "--quiet", *settings, *length)
    seconds = time.perf_counter() - start
    at_level(level, "predict", model, folder / "data.npz", "-o", folder / "out.csv", "--quiet")
    with open(folder / "out.csv", newline="") as file:
        return seconds, [float(row[list(row)[-1]]) for row in csv.DictReader(file)]


if not program.exists():
    sys.exit("build/portable/m3lak is not there: cmake --preset portable, then build it")
with tempfile.TemporaryDirectory() as name:
    folder = Path(name)
    at_level(
        "",
        "simulate",
        "-o",
        folder / "data.npz",
        "--instances",
        10_000,
        "--views",
        "64,144,73,128,225",
    )
    print(f"{'level':>10} {'s, 60 iterations':>18} {'apart after 2':>14}   library")
    first = None
    for level in ("", "x86-64-v3", "x86-64-v4"):
        _, soon = scores(folder, level, 2)
        first = first or soon
        apart = max(abs(a - b) for a, b in zip(first, soon, strict=True))
        seconds, _ = scores(folder, level, 60)
        print(f"{level or 'any':>10} {seconds:>18.2f} {apart:>14.1e}   {library(level)}")
