"""Data of NUS-WIDE's shape in .npy files of float, and training on it for benches of memory."""

import resource
import subprocess
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


def train(folder, paths, precision, iterations, *options):
    """Seconds that it took."""
    command = [program, "train", "--labels", folder / "y.npy", "-o", folder / "model.m3lak"]
    for path in paths:
        command += ["--view", path]
    command += ["--precision", precision, "--iterations", iterations, "--burn-in", 2, "--quiet"]
    command += ["--latent-leapfrog", 2, "--frequency-leapfrog", 2, "--latent", 20]
    command += ["--label-weight", 1, "--scaling", "standardize", "--calibrate", "no", "--thin", 1]
    command += ["--weight-leapfrog", 0, *(options or ("--linear", 0))]
    start = time.perf_counter()
    subprocess.run([str(word) for word in command], check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def peak_of_children():
    """Bytes that the largest process took which this one has waited for."""
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
