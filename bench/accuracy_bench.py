"""Accuracy on real data: methods under one protocol, and the paired difference of each from the
tuned SVM. The sets are those of the folder M3LAK_DATA (default: ../shared/data).

  bench/run accuracy [--sets cornell,cora] [--seeds 1,2,3] [--method "m3lak --latent 50"]…
                     [--results build/accuracy.jsonl] [--table]

Each set has its task, and 10 folds (5 if it is large). A method is a method of `m3lak evaluate`
with settings, if any. What is finished is kept in the file of results and not computed again;
--table prints what is there and computes nothing.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
from pathlib import Path

program = Path(__file__).parent.parent / "build/release/m3lak"
data = Path(os.environ.get("M3LAK_DATA", Path(__file__).parent.parent.parent / "shared/data"))

# name: file, positive classes (none: all classes as they are), folds
tasks = {
    "cornell": ("webkb_cornell", "3", 10),
    "washington": ("webkb_washington", "3", 10),
    "wisconsin": ("webkb_wisconsin", "3", 10),
    "texas": ("webkb_texas", "3", 10),
    "course": ("webkb_course", "1", 10),
    "nuswide": ("nuswide599", "1", 10),
    "mfeat": ("mfeat", "1,2,3,4,5", 10),
    "mfeat ten": ("mfeat", "", 10),
    "3sources": ("3sources", "2,5", 10),
    "bdgp": ("bdgp", "1,2", 10),
    "cora": ("cora", "1,4", 5),
    "citeseer": ("citeseer", "2,3", 5),
    "reuters": ("reuters1200", "1,2,3", 10),
    "wikipedia": ("wikipedia", "3,4,8,10", 5),
    "prokaryotic": ("prokaryotic", "1", 10),
    "leaves": ("leaves100", ",".join(str(c) for c in range(1, 51)), 10),
    "tcga": ("tcga_breast", "3", 10),
    "htru2": ("htru2", "1", 5),
    "credit": ("credit_default", "1", 5),
}
measures = ("accuracy", "balanced_accuracy", "auc", "log_loss", "calibration_error", "seconds")


def evaluate(name, method, seed):
    file, positive, folds = tasks[name]
    words = method.split()
    command = [program, "evaluate", data / file / f"{file}.mat", "--method", words[0], "--json"]
    command += ["--quiet", "--folds", folds, "--seed", seed, *words[1:]]
    if positive:
        command += ["--positive", positive]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{name}, {method}, seed {seed}: {done.stderr}")
    return json.loads(done.stdout)["folds"]


def load(path):
    found = {}
    if path.exists():
        for line in path.read_text().splitlines():
            cell = json.loads(line)
            found[cell["set"], cell["method"], cell["seed"]] = cell["folds"]
    return found


def compute(arguments, found):
    for seed in arguments.seeds:
        for name in arguments.sets:
            for method in arguments.method:
                if (name, method, seed) in found:
                    continue
                folds = evaluate(name, method, seed)
                found[name, method, seed] = folds
                with arguments.results.open("a") as file:
                    cell = {"set": name, "method": method, "seed": seed, "folds": folds}
                    file.write(json.dumps(cell) + "\n")
                accuracy = statistics.fmean(fold["accuracy"] for fold in folds)
                seconds = statistics.fmean(fold["seconds"] for fold in folds)
                print(f"{name}, {method}, seed {seed}: {accuracy:.4f}, {seconds:.1f} s a fold")
                sys.stdout.flush()


def values(found, name, method, seeds, measure):
    """Fold by fold, over seeds; nothing where a seed is not there."""
    return [fold[measure] for seed in seeds for fold in found.get((name, method, seed), [])]


def difference(ours, theirs):
    pairs = [a - b for a, b in zip(ours, theirs, strict=True)]
    error = statistics.stdev(pairs) / len(pairs) ** 0.5
    return statistics.fmean(pairs), error


def mean(numbers):
    known = [x for x in numbers if x is not None]
    return statistics.fmean(known) if known else float("nan")


def table(arguments, found):
    width = max(len(method) for method in arguments.method)
    titles = ("accuracy", "balanced", "AUC", "log-loss", "calib.", "seconds")
    print(f"{'':12} {'':{width}} " + " ".join(f"{t:>9}" for t in titles) + "   from svm")
    averages = {method: [] for method in arguments.method}
    for name in arguments.sets:
        for method in arguments.method:
            seeds = [s for s in arguments.seeds if (name, method, s) in found]
            if not seeds:
                continue
            row = [mean(values(found, name, method, seeds, m)) for m in measures]
            text = " ".join(f"{x:9.4f}" for x in row[:-1]) + f" {row[-1]:9.1f}"
            both = [s for s in seeds if (name, "svm", s) in found]
            gain = None
            if method != "svm" and both:
                gain, error = difference(
                    values(found, name, method, both, "accuracy"),
                    values(found, name, "svm", both, "accuracy"),
                )
                text += f"   {gain:+.4f} ± {error:.4f}"
            print(f"{name:12} {method:{width}} {text}")
            averages[method].append((row, gain))
    for method, rows in averages.items():
        if not rows:
            continue
        row = [mean([r[0][i] for r in rows]) for i in range(len(measures))]
        text = " ".join(f"{x:9.4f}" for x in row[:-1]) + f" {row[-1]:9.1f}"
        gains = [gain for _, gain in rows if gain is not None]
        text += f"   {mean(gains):+.4f}" if gains else ""
        print(f"{f'{len(rows)} sets':12} {method:{width}} {text}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--sets", type=lambda text: text.split(","), default=list(tasks))
    parser.add_argument("--seeds", type=lambda text: [int(s) for s in text.split(",")])
    parser.add_argument("--method", action="append")
    parser.add_argument("--results", type=Path, default=Path("build/accuracy.jsonl"))
    parser.add_argument("--table", action="store_true")
    arguments = parser.parse_args()
    arguments.seeds = arguments.seeds or [1, 2, 3]
    arguments.method = arguments.method or ["svm", "m3lak"]
    if not data.is_dir():
        sys.exit(f"{data}: the real data sets are not here; M3LAK_DATA names their folder")
    found = load(arguments.results)
    if not arguments.table:
        compute(arguments, found)
    table(arguments, found)


main()
