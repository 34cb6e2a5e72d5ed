"""The commands, as a user calls them."""

import os
import re
import signal
import subprocess
from pathlib import Path

import numpy as np
import pytest

SHIPPED = Path(__file__).parents[2] / "data" / "breast_cancer"


def shipped_options():
    views = [x for name in ("mean", "error", "worst") for x in ("--view", SHIPPED / f"{name}.csv")]
    return [*views, "--labels", SHIPPED / "diagnosis.csv"]


def test_help_of_everything_has_an_example(m3lak):
    overview = m3lak("--help").out
    for command in ("demo", "train", "predict", "evaluate", "inspect", "convert", "simulate"):
        assert command in overview
        assert f"  m3lak {command}" in m3lak(command, "--help").out.split("Example")[1]
    assert m3lak("--version").out.startswith("m3lak 0.")


@pytest.mark.long
def test_demo_tells_the_whole_story(m3lak):
    out = m3lak("demo", "--iterations", 24).out
    assert "569 instances, 3 views, 30 features" in out
    shares = [float(share) for share in re.findall(r"(?:m3lak|nearest mean) +(\S+) %", out)]
    breast_cancer, _, ring, nearest_mean_of_ring = shares
    assert breast_cancer > 90
    assert ring > 80
    assert 40 < nearest_mean_of_ring < 60
    assert len(out.splitlines()) < 60


def test_inspect_table(m3lak):
    result = m3lak("inspect", *shipped_options())
    lines = [line.split() for line in result.out.splitlines()]
    assert ["mean", "10", "dense", "0.5", "%", "-", "-", "-"] in lines
    assert ["benign", "357", "62.7", "%"] in lines
    assert "names the instances" in result.err  # what it decided by itself, on standard error


def test_inspect_json(m3lak):
    summary = m3lak("inspect", *shipped_options(), "--json").json()
    assert summary["instances"] == 569
    assert [view["name"] for view in summary["views"]] == ["mean", "error", "worst"]
    assert summary["labels"]["classes"] == [
        {"name": "benign", "count": 357},
        {"name": "malignant", "count": 212},
    ]


def test_simulate_has_what_was_asked_for(m3lak, tmp_path):
    m3lak("simulate", "-o", "a.npz", "--instances", 500, "--views", "4,5,6", "--boundary", "xor",
          "--missing-views", 0.2, "--missing-cells", 0.1, "--unknown-labels", 0.3,
          "--seed", 5)  # fmt: skip
    data = np.load(tmp_path / "a.npz")
    assert [data[f"X{v}"].shape for v in (1, 2, 3)] == [(500, 4), (500, 5), (500, 6)]
    summary = m3lak("inspect", "a.npz", "--json").json()
    assert 100 < summary["labels"]["unknown"] < 200
    assert all(50 < view["missing_instances"] < 150 for view in summary["views"])
    assert all(view["missing_cells"] > 0 for view in summary["views"])


def test_simulate_follows_its_seed_whatever_the_threads(m3lak, tmp_path):
    for name, seed, threads in (("a", 1, 1), ("b", 1, 3), ("c", 2, 1)):
        m3lak("simulate", "-o", f"{name}.npz", "--seed", seed, "--threads", threads)
    a, b, c = (np.load(tmp_path / f"{name}.npz")["X1"] for name in "abc")
    assert (a == b).all()
    assert not (a == c).any()


@pytest.mark.parametrize("ending", ["csv", "tsv", "npy", "npz", "mat", "h5", "h5mu", "svm"])
def test_every_format_comes_back_as_it_was(m3lak, tmp_path, ending):
    m3lak("simulate", "-o", "original.npz", "--instances", 50, "--views", "3,4")
    m3lak("convert", "original.npz", "-o", f"copy.{ending}")
    copies = sorted(tmp_path.glob("copy*"))
    labels = [path for path in copies if ".labels." in path.name]
    options = ["--labels", *labels] if labels else []
    if ending == "h5mu":
        options = ["--label-column", "label"]
    m3lak("convert", *(path for path in copies if path not in labels), *options, "-o", "back.npz")
    original, back = np.load(tmp_path / "original.npz"), np.load(tmp_path / "back.npz")
    for view in (1, 2):
        key = f"X{view}"
        values = back[key] if key in back else from_csr(back, key)
        assert (original[key] == values).all()
    assert (original["y"] == back["y"]).all()


def from_csr(file, key):
    from scipy.sparse import csr_array

    parts = (file[f"{key}_data"], file[f"{key}_indices"], file[f"{key}_indptr"])
    return csr_array(parts, shape=file[f"{key}_shape"]).toarray()


def test_matlab_73_by_name_of_the_format(m3lak, tmp_path):
    m3lak("simulate", "-o", "a.mat", "--format", "mat73")
    assert (tmp_path / "a.mat").read_bytes().startswith(b"MATLAB 7.3")
    assert m3lak("inspect", "a.mat", "--json").json()["instances"] == 1000


def test_views_are_joined_by_id(m3lak, tmp_path):
    (tmp_path / "rna.csv").write_text("patient,g1,g2\np3,5,6\np1,1,2\np2,3,4\n")
    (tmp_path / "prot.csv").write_text("patient,q\np1,10\np4,40\np3,30\n")
    (tmp_path / "who.csv").write_text("age,patient,outcome\n50,p1,dead\n60,p2,alive\n70,p3,\n")
    result = m3lak("convert", "--view", "rna.csv", "--view", "protein=prot.csv", "--labels",
                   "who.csv", "--id-column", "patient", "--label-column", "outcome",
                   "-o", "all.npz")  # fmt: skip
    data = np.load(tmp_path / "all.npz")
    assert list(data["instance_names"]) == ["p3", "p1", "p2", "p4"]
    assert list(data["view_names"]) == ["rna", "protein"]
    assert np.isnan(data["X1"][3]).all() and np.isnan(data["X2"][2]).all()
    assert data["X2"][:, 0][[0, 1, 3]].tolist() == [30, 10, 40]
    assert data["y"].tolist() == ["", "dead", "alive", ""]
    assert "who.csv: 1 of 4 instances have no label there" in result.err


def test_an_interrupted_write_leaves_the_old_file_and_nothing_else(program, tmp_path):
    target = tmp_path / "big.csv"
    old = tmp_path / "big.view1.csv"
    old.write_text("old")
    writing = subprocess.Popen(
        [program, "simulate", "-o", target, "--instances", "20000", "--views", "300"]
    )
    while writing.poll() is None and not list(tmp_path.glob(".big*")):
        pass
    writing.send_signal(signal.SIGKILL)
    writing.wait()
    assert old.read_text() == "old"
    assert not target.exists()


def test_standard_output_that_cannot_be_written(program):
    full = os.open("/dev/full", os.O_WRONLY)
    done = subprocess.run([program, "demo"], stdout=full, stderr=subprocess.PIPE)
    os.close(full)
    assert done.returncode == 1
    assert b"cannot write to standard output" in done.stderr
