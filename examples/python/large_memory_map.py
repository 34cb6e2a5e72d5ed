"""Large data: views that stay in files, as float32, and are mapped into memory.

The fit keeps one scaled copy of them, in float32 with precision="mixed". Prediction goes by chunks.
"""

import resource
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
from m3lak import M3LAKClassifier, simulate
from sklearn.exceptions import ConvergenceWarning


def peak():
    return f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB"


N, new = 20_000, 5_000
with tempfile.TemporaryDirectory() as folder:
    views, y = simulate(instances=N + new, views=(40, 60), latent=3, noise=0.3, boundary="ring")
    for name in views:
        np.save(Path(folder) / f"{name}.npy", views[name].astype(np.float32))
    views = {name: np.load(Path(folder) / f"{name}.npy", mmap_mode="r") for name in views}
    print(f"{sum(view.nbytes for view in views.values()) / 2**20:.0f} MiB in files; {peak()}")

    # One fit of few iterations, for speed: the chain is short, and would warn. More are better.
    warnings.simplefilter("ignore", ConvergenceWarning)
    few = {"iterations": 60, "burn_in": 30, "calibrate": False}
    model = M3LAKClassifier(latent=5, scaling="standardize", precision="mixed", **few)
    start = time.perf_counter()
    model.fit({name: view[:N] for name, view in views.items()}, y[:N])  # slices of a map are maps
    print(f"fitted {N:,} instances in {time.perf_counter() - start:.1f} s; {peak()}")

    right = 0
    for first in range(N, N + new, 1000):
        rows = slice(first, first + 1000)
        probability = model.predict_proba({name: view[rows] for name, view in views.items()})
        right += (model.classes_[probability.argmax(axis=1)] == y[rows]).sum()
    print(f"right of {new:,} others: {right / new:.1%}; {peak()}")
