"""m3lak against what one would do instead: scikit-learn's SVC (RBF) with the usual 5 x 5 grid and 5
folds, on the views side by side. Time to a model and accuracy on 5,000 instances held out.

  bench/run svc [TRAINING_INSTANCES…]    default 1000 5000 10000; slow on the larger
"""

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

program = str(Path(__file__).parent.parent / "build/release/m3lak")
views, held_out = "64,144,73,128,225", 5_000


def simulate(folder, instances):
    """NUS-WIDE's shape, with a boundary that is not linear; the first part trains."""
    path = folder / "all.npz"
    subprocess.run(
        [program, "simulate", "-o", path, "--instances", str(instances + held_out), "--quiet"]
        + ["--views", views, "--latent", "10", "--noise", "1.5", "--boundary", "xor"],
        check=True,
    )
    data = np.load(path)
    names = [name for name in data.files if name.startswith("X")]
    for part, rows in (("train", slice(0, instances)), ("test", slice(instances, None))):
        np.savez(folder / f"{part}.npz", y=data["y"][rows], **{n: data[n][rows] for n in names})
    X = np.hstack([data[n] for n in names])
    return X[:instances], data["y"][:instances], X[instances:], data["y"][instances:]


def tuned_svc(X, y):
    grid = {"svc__C": [0.1, 1, 10, 100, 1000], "svc__gamma": [1e-5, 1e-4, 1e-3, 1e-2, 1e-1]}
    search = GridSearchCV(make_pipeline(StandardScaler(), SVC()), grid, cv=5, n_jobs=-1)
    return search.fit(X, y)


# One fit, nothing tuned.
settings = (
    *("--latent", "20", "--linear", "0", "--label-weight", "1", "--scaling", "standardize"),
    *("--calibrate", "no", "--iterations", "600", "--burn-in", "300", "--thin", "1"),
)


def m3lak(folder, *options):
    train, test, model = folder / "train.npz", folder / "test.npz", folder / "model.m3lak"
    start = time.perf_counter()
    command = [program, "train", train, "-o", model, "--quiet", *settings, *options]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    taken = time.perf_counter() - start
    command = [program, "predict", model, test, "-o", folder / "predictions.csv", "--json"]
    summary = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    return taken, summary["accuracy"]


for instances in map(int, sys.argv[1:] or ("1000", "5000", "10000")):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        X, y, X_test, y_test = simulate(folder, instances)
        for label, options in (("m3lak, double", []), ("m3lak, mixed", ["--precision", "mixed"])):
            taken, accuracy = m3lak(folder, *options)
            print(f"{instances:>8} {label:<24} {taken:>10.1f} s {accuracy:>8.4f}", flush=True)
        start = time.perf_counter()
        search = tuned_svc(X, y)
        taken = time.perf_counter() - start
        accuracy = search.score(X_test, y_test)
        print(
            f"{instances:>8} {'SVC, 5 x 5 grid':<24} {taken:>10.1f} s {accuracy:>8.4f}", flush=True
        )
