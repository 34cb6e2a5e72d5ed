"""Accuracy on real data: methods under one protocol, and the paired difference of each from the
tuned SVM. The sets are those of the folder M3LAK_DATA (default: ../shared/data).

  bench/run accuracy [--sets cornell,cora] [--seeds 1,2,3] [--method "m3lak --latent 50"]…
                     [--results build/results.jsonl] [--table]

Each set has its task, and 10 folds (5 if it is large). A method is a method of `m3lak compare`,
which is what runs it, with settings, if any. Folds that are finished are kept in the file of
results and not computed again; --table prints what is there and computes nothing.
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
    "mfeat ten": ("mfeat", "", 5),
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


def run(name, method, seed, arguments):
    """The measures of each fold, of those that are finished or, without --table, of all."""
    file, positive, folds = tasks[name]
    words = method.split()
    path = str(data / file / f"{file}.mat")
    command = [program, "compare", f"{path}@{positive}" if positive else path, "--json"]
    command += ["--methods", words[0], *words[1:], "--folds", folds, "--seed", seed]
    command += ["--results", arguments.results]
    command += ["--finished", "--quiet"] if arguments.table else []
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f"{name}, {method}, seed {seed}: see above")
    return [cell for cell in json.loads(done.stdout)["cells"] if "failure" not in cell]


def find(arguments):
    found = {}
    for seed in arguments.seeds:
        for name in arguments.sets:
            for method in arguments.method:
                cells = run(name, method, seed, arguments)
                if len(cells) == tasks[name][2]:
                    found[name, method, seed] = cells
    return found


def values(found, name, method, seeds, measure):
    """Fold by fold, over seeds; nothing where a seed is not there."""
    return [fold[measure] for seed in seeds for fold in found.get((name, method, seed), [])]


def difference(ours, theirs, folds):
    """And its standard error, as if one seed had been all: others split the same instances."""
    pairs = [a - b for a, b in zip(ours, theirs, strict=True)]
    return statistics.fmean(pairs), statistics.stdev(pairs) / folds**0.5


def mean(numbers):
    known = [x for x in numbers if x is not None]
    return statistics.fmean(known) if known else float("nan")


def numbers(row):
    return [f"{x:.3f}" for x in row[:-1]] + [f"{row[-1]:.1f}"]


def points(gain, error=None):
    return f"{100 * gain:+.1f}" + (f" ± {100 * error:.1f}" if error is not None else "")


def table(arguments, found):
    """In Markdown; of the seeds that all methods have, if there are any."""
    titles = ["set", "method", "seeds", "accuracy", "balanced", "AUC", "log-loss"]
    titles += ["calibration error", "seconds a fold", "from svm, points"]
    print("| " + " | ".join(titles) + " |\n" + "| --- " * len(titles) + "|")
    averages = {method: [] for method in arguments.method}
    for name in arguments.sets:
        has = {
            method: [seed for seed in arguments.seeds if (name, method, seed) in found]
            for method in arguments.method
        }
        common = [s for s in arguments.seeds if all(s in seeds for seeds in has.values())]
        for method, own in has.items():
            seeds = common or own
            if not seeds:
                continue
            row = [mean(values(found, name, method, seeds, m)) for m in measures]
            both = [seed for seed in seeds if (name, "svm", seed) in found]
            gain, text = None, ""
            if method != "svm" and both:
                gain, error = difference(
                    values(found, name, method, both, "accuracy"),
                    values(found, name, "svm", both, "accuracy"),
                    tasks[name][2],
                )
                text = points(gain, error)
            cells = [name, method, ", ".join(map(str, seeds)), *numbers(row), text]
            print("| " + " | ".join(cells) + " |")
            if common:
                averages[method].append((row, gain))
    for method, rows in averages.items():
        if not rows:
            continue
        row = [mean([r[0][i] for r in rows]) for i in range(len(measures))]
        gains = [gain for _, gain in rows if gain is not None]
        cells = [f"mean of {len(rows)} sets", method, "", *numbers(row)]
        print("| " + " | ".join([*cells, points(mean(gains)) if gains else ""]) + " |")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--sets", type=lambda text: text.split(","), default=list(tasks))
    parser.add_argument("--seeds", type=lambda text: [int(s) for s in text.split(",")])
    parser.add_argument("--method", action="append")
    parser.add_argument("--results", type=Path, default=Path("build/results.jsonl"))
    parser.add_argument("--table", action="store_true")
    arguments = parser.parse_args()
    arguments.seeds = arguments.seeds or [1, 2, 3]
    arguments.method = arguments.method or ["svm", "m3lak"]
    if not data.is_dir():
        sys.exit(f"{data}: the real data sets are not here; M3LAK_DATA names their folder")
    table(arguments, find(arguments))


main()
