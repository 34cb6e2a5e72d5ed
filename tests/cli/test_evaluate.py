"""Cross-validation, as a user calls it."""

import csv
import math
import re
import signal
import subprocess
import xml.etree.ElementTree as xml

import matplotlib.image
import numpy as np
import pytest

USAGE, DATA = 2, 3
METHODS = ("m3lak", "bm2smvl", "mvmed", "vmrml", "mmh", "bemkl", "svm", "nearest-mean")
MEASURES = ("accuracy", "balanced_accuracy", "auc", "log_loss", "calibration_error")


def test_json(m3lak, data, tiny):
    result = m3lak("evaluate", data, "--folds", 4, "--json", *tiny).json()
    assert result["method"] == "m3lak"
    assert len(result["folds"]) == 4
    for measure in MEASURES:
        values = [fold[measure] for fold in result["folds"]]
        assert result[measure]["mean"] == pytest.approx(sum(values) / 4)
        assert result[measure]["std"] >= 0
    assert all(fold["seconds"] > 0 for fold in result["folds"])
    assert result["seconds"] > 0
    assert result["settings"]["latent"] == 3
    assert result["instances"] == 80
    assert result["classes"] == ["1", "2"]
    assert result["stopped_early"] is False


def test_reliability(m3lak, data, tmp_path):
    arguments = ("evaluate", data, "--method", "svm", "--folds", 4, "--json")
    found = m3lak(*arguments, "--reliability", "sure.csv").json()
    with open(tmp_path / "sure.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row.pop("method") for row in rows] == ["svm"] * len(rows)
    assert [{key: float(value) for key, value in row.items()} for row in rows] == found[
        "reliability"
    ]
    bins = found["reliability"]
    assert sum(bin["instances"] for bin in bins) == 80
    right = sum(bin["instances"] * bin["right"] for bin in bins) / 80
    assert right == pytest.approx(found["accuracy"]["mean"])
    for bin in bins:
        assert bin["from"] <= bin["confidence"] <= bin["to"]
        assert 0 < bin["standard_error"] <= 0.5
    m3lak(*arguments, "--reliability", "sure.svg")
    picture = xml.parse(tmp_path / "sure.svg").getroot()
    lines = picture.iter("{http://www.w3.org/2000/svg}polyline")
    assert [len(line.get("points").split()) for line in lines] == [len(bins), 2]


def test_pictures_for_slides(m3lak, refuses, data, tmp_path, monkeypatch):
    arguments = ("evaluate", data, "--method", "nearest-mean", "--reliability")
    m3lak(*arguments, "sure.svg")
    m3lak(*arguments, "sure.png")
    width = int(xml.parse(tmp_path / "sure.svg").getroot().get("width"))
    pixels = matplotlib.image.imread(tmp_path / "sure.png")
    assert pixels.shape[1] == 2 * width
    assert pixels[0, 0, :3].tolist() == [1, 1, 1]  # on white
    assert len(np.unique(pixels[:, :, :3].reshape(-1, 3), axis=0)) > 3  # something is on it
    assert sorted(path.name for path in tmp_path.glob("*sure*")) == ["sure.png", "sure.svg"]
    refuses(USAGE, ["--reliability sure.pdf", ".svg or .png", ".csv"], *arguments, "sure.pdf")
    monkeypatch.setenv("PATH", str(tmp_path))
    refuses(USAGE, ["new.png", "rsvg-convert", "librsvg2-bin", ".svg"], *arguments, "new.png")
    (tmp_path / "rsvg-convert").write_text('#!/bin/sh\n[ "$1" = --version ]')
    (tmp_path / "rsvg-convert").chmod(0o755)
    failed = m3lak(*arguments, "new.png", good=False)
    assert failed.code != 0
    assert "new.png: rsvg-convert could not draw it" in failed.err
    assert not list(tmp_path.glob("*new*"))


def test_table(m3lak, data):
    result = m3lak("evaluate", data, "--method", "nearest-mean", "--folds", 5)
    lines = result.out.splitlines()
    assert lines[0].split() == ["nearest-mean", "mean", "±", "std"]
    assert re.fullmatch(r"  accuracy +[01]\.\d{4}   0\.\d{4}", lines[1])
    assert len(lines) == 1 + len(MEASURES) + 2
    assert "5 folds in" in result.err


@pytest.mark.long
def test_all_methods_learn_a_linear_boundary(m3lak, tiny):
    m3lak("simulate", "-o", "easy.npz", "--instances", 200, "--views", "6,8", "--latent", 2,
          "--noise", 0.1)  # fmt: skip
    for method in METHODS:
        result = m3lak("evaluate", "easy.npz", "--method", method, "--folds", 4, "--json", *tiny)
        assert result.json()["accuracy"]["mean"] > 0.85


def test_the_seed_is_that_of_folds_and_chains(m3lak, data, tiny):
    def folds(method, seed, threads=1):
        result = m3lak("evaluate", data, "--method", method, "--folds", 3, "--seed", seed,
                       "--threads", threads, "--json", *tiny)  # fmt: skip
        return [[fold[name] for name in MEASURES] for fold in result.json()["folds"]]

    assert folds("m3lak", 1) == folds("m3lak", 1, threads=3)
    assert folds("m3lak", 1) != folds("m3lak", 2)
    assert folds("svm", 1) == folds("svm", 1, threads=3)
    assert folds("nearest-mean", 1) != folds("nearest-mean", 2)


def test_a_measure_that_does_not_exist_is_null(m3lak, tmp_path):
    rows = [f"{n},{n % 7},{'yes' if n < 2 else 'no'}" for n in range(20)]
    (tmp_path / "rare.csv").write_text("\n".join(["f1,f2,label", *rows]) + "\n")
    result = m3lak(
        "evaluate",
        "rare.csv",
        "--label-column",
        "label",
        "--method",
        "nearest-mean",
        "--folds",
        5,
        "--json",
    )
    auc = [fold["auc"] for fold in result.json()["folds"]]
    assert None in auc  # a fold that tests one class only
    assert "class 'yes' has 2 member(s) for 5 folds" in result.err
    assert not any(isinstance(value, float) and math.isnan(value) for value in auc)


def test_quiet(m3lak, data):
    arguments = ["evaluate", data, "--method", "nearest-mean", "--quiet"]
    assert m3lak(*arguments).err == ""


def test_one_class_against_the_rest(m3lak, three_classes):
    arguments = ["evaluate", *three_classes, "--method", "nearest-mean", "--json"]
    assert m3lak(*arguments).json()["classes"] == ["a", "b", "c"]
    assert m3lak(*arguments, "--positive", "a").json()["classes"] == ["not a", "a"]


def test_bad_usage(refuses, data):
    refuses(
        USAGE,
        ["--method magic", "m3lak|m3lak-paper|"],
        "evaluate",
        data,
        "--method",
        "magic",
    )
    refuses(USAGE, ["folds = 1", "at least 2"], "evaluate", data, "--folds", 1)
    refuses(USAGE, ["folds = 81", "at most 80"], "evaluate", data, "--folds", 81)
    refuses(USAGE, ["no/x.svg", "mkdir"], "evaluate", data, "--reliability", "no/x.svg")
    refuses(USAGE, ["`features = 0`: must be at least 1"], "evaluate", data, "--features", 0)


def test_data_without_labels(refuses, tmp_path):
    (tmp_path / "x.csv").write_text("a,b\n1,2\n3,4\n5,7\n")
    refuses(DATA, ["no labels", "--labels"], "evaluate", "x.csv")


def test_a_signal_ends_it_early(program, data, tmp_path):
    running = subprocess.Popen(
        [program, "evaluate", data, "--iterations", "10000000", "--burn-in", "1"],
        cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE)  # fmt: skip
    while b"m3lak in 10 folds" not in running.stderr.readline():
        assert running.poll() is None
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=60)
    assert running.returncode == 130
    assert out == b""
    assert b"0 of 10 folds were finished" in err
