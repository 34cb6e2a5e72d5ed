"""What calling the library from Python costs: the same fit by the program and by the package, in
turns, and predict_proba beside the library's prediction that it calls.

bench/run python [INSTANCES]
"""

import json
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

from m3lak import M3LAKClassifier, read
from m3lak._base import threads_of

program = Path(__file__).parent.parent / "build/release/m3lak"
instances = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
rounds = 9
settings = {"iterations": 60, "burn_in": 10, "scaling": "standardize", "calibrate": False}
flags = ["--iterations", 60, "--burn-in", 10, "--scaling", "standardize", "--calibrate", "no"]
warnings.simplefilter("ignore")


def run(*words):
    done = subprocess.run([str(word) for word in words], check=True, capture_output=True)
    return done.stdout


def seconds(work):
    begin = time.perf_counter()
    result = work()
    return time.perf_counter() - begin, result


def report(what, ours, theirs):
    for of, name in ((min, "fastest"), (statistics.median, "median")):
        mine, other = of(ours), of(theirs)
        print(f"{what + ', ' + name:<30} {mine:8.3f} s {other:8.3f} s   {mine / other - 1:+.1%}")


with tempfile.TemporaryDirectory() as folder:
    data, model = Path(folder) / "data.npz", Path(folder) / "model.m3lak"
    run(program, "simulate", "-o", data, "--instances", instances, "--views", "64,144,73,128,225")
    views, y = read(data)
    mine, theirs = [], []
    for _ in range(rounds):
        told = json.loads(run(program, "train", data, "-o", model, "--json", "--quiet", *flags))
        theirs.append(told["seconds"])
        took, classifier = seconds(lambda: M3LAKClassifier(**settings).fit(views, y))
        mine.append(took)
    classifier.save(Path(folder) / "own.m3lak")
    same = model.read_bytes() == (Path(folder) / "own.m3lak").read_bytes()
    print(f"{instances} instances, 5 views of 634 features in all; the same model: {same}")
    print(f"{'':<30} {'package':>10} {'program':>10}")
    report("fit", mine, theirs)

    whole, alone = [], []
    ready = classifier._read(views)
    for _ in range(rounds):
        alone.append(seconds(lambda: classifier.model_.predict(ready, threads_of(None), False))[0])
        whole.append(seconds(lambda: classifier.predict_proba(views))[0])
    print(f"{'':<30} {'package':>10} {'library':>10}")
    report("predict_proba", whole, alone)
