"""Peak memory of training beside the size of X, NUS-WIDE's shape, from .npy files of float.

bench/run memory [INSTANCES…]
"""

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

program = Path(__file__).parent.parent / "build/release/m3lak"
features = (64, 144, 73, 128, 225)


def write_data(folder, instances):
    rng = np.random.default_rng(1)
    h = rng.standard_normal((instances, 10), dtype=np.float32)
    paths = []
    for i, columns in enumerate(features):
        W = rng.standard_normal((10, columns), dtype=np.float32)
        X = np.lib.format.open_memmap(
            folder / f"view{i}.npy", mode="w+", dtype=np.float32, shape=(instances, columns)
        )
        for begin in range(0, instances, 10_000):
            rows = slice(begin, begin + 10_000)
            X[rows] = h[rows] @ W + rng.standard_normal(X[rows].shape, dtype=np.float32)
        X.flush()
        paths.append(folder / f"view{i}.npy")
    np.save(folder / "y.npy", (np.linalg.norm(h[:, :2], axis=1) > 1.2).astype(np.int64))
    return paths


def train(folder, paths, precision, iterations):
    command = [program, "train", "--labels", folder / "y.npy", "-o", folder / "model.m3lak"]
    for path in paths:
        command += ["--view", path]
    command += ["--precision", precision, "--iterations", iterations, "--burn-in", 2, "--quiet"]
    command += ["--latent-leapfrog", 2, "--frequency-leapfrog", 2, "--latent", 20, "--linear", 0]
    command += ["--label-weight", 1, "--scaling", "standardize", "--calibrate", "no", "--thin", 1]
    command += ["--weight-leapfrog", 0]
    start = time.perf_counter()
    subprocess.run([str(word) for word in command], check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def measure(instances, precision):
    """In a process of its own, so that the peak is that of this run."""
    with tempfile.TemporaryDirectory(dir=".") as name:
        folder = Path(name)
        paths = write_data(folder, instances)
        few, many = 4, 8
        first = train(folder, paths, precision, few)
        an_iteration = (train(folder, paths, precision, many) - first) / (many - few)
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
    size = instances * sum(features) * (8 if precision == "double" else 4)
    print(
        f"{instances:>10} {precision:>8} {size / 2**20:>10.0f} {peak / 2**20:>10.0f} "
        f"{peak / size:>8.2f} {an_iteration:>12.2f}",
        flush=True,
    )


if len(sys.argv) == 3 and sys.argv[1] in ("double", "mixed"):
    measure(int(sys.argv[2]), sys.argv[1])
else:
    print(
        f"{'N':>10} {'':>8} {'X, MiB':>10} {'peak, MiB':>10} {'ratio':>8} {'s/iteration':>12}",
        flush=True,
    )
    for size in sys.argv[1:] or ("10000", "100000"):
        for kept_in in ("double", "mixed"):
            subprocess.run([sys.executable, __file__, kept_in, size], check=True)
