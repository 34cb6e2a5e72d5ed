"""Training on views that stay in their files (--stream) beside training in memory: time and peak.

bench/run stream [INSTANCES [LINEAR]]
"""

import subprocess
import sys
import tempfile
from pathlib import Path

from nus_wide import features, peak_of_children, train, write_data

few, many = 4, 10  # iterations; their difference leaves reading and starting out


def run(folder, way, linear):
    """In a process of its own, so that the peak is that of this run."""
    paths = sorted(folder.glob("view*.npy"))
    options = ["--linear", linear, *(["--stream"] if way == "stream" else [])]
    first = train(folder, paths, "mixed", few, *options)
    an_iteration = (train(folder, paths, "mixed", many, *options) - first) / (many - few)
    print(an_iteration, first, peak_of_children())


def measure(instances, linear):
    with tempfile.TemporaryDirectory(dir=".") as name:
        folder = Path(name)
        write_data(folder, instances)
        results, models = {"memory": [], "stream": []}, []
        for _ in range(2):  # they take turns, and the better counts
            for way, found in results.items():
                command = [sys.executable, __file__, way, folder, linear]
                output = subprocess.run(
                    [str(word) for word in command], check=True, capture_output=True, text=True
                ).stdout
                found.append([float(word) for word in output.split()])
                models.append((folder / "model.m3lak").read_bytes())
    assert all(model == models[0] for model in models), "the models differ"
    size = instances * sum(features) * 4
    print(f"N = {instances}, X of {size / 2**20:.0f} MiB in float; the models are the same")
    for way, found in results.items():
        an_iteration, first, peak = (min(column) for column in zip(*found, strict=True))
        results[way] = an_iteration
        print(
            f"{way:>8}: {an_iteration:.2f} s an iteration, {first:.1f} s for the first {few} and "
            f"all before, peak {peak / 2**20:.0f} MiB"
        )
    print(f"speed of stream: {results['memory'] / results['stream']:.2f} of memory's")


if len(sys.argv) == 4:
    run(Path(sys.argv[2]), sys.argv[1], int(sys.argv[3]))
else:
    measure(*[int(word) for word in [*sys.argv[1:], *("100000", "0")[len(sys.argv) - 1 :]]])
