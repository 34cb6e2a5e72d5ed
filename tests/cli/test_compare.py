"""Methods side by side, as a user calls them."""

import csv
import io
import json
import re
import signal
import subprocess
import time
import xml.etree.ElementTree as xml

import pytest

USAGE, DATA = 2, 3
QUICK = ("--methods", "svm,nearest-mean,vmrml", "--folds", 3, "--quiet")


@pytest.fixture
def sets(m3lak):
    for seed, name in enumerate(("first", "second")):
        m3lak("simulate", "-o", f"{name}.npz", "--instances", 60, "--views", "4,5", "--noise", 0.2,
              "--seed", seed)  # fmt: skip
    return ("first.npz", "second.npz@2")


def test_tables(m3lak, sets):
    text = m3lak("compare", *sets, *QUICK).out
    assert "## Accuracy (%)" in text
    assert "## Accuracy less that of svm, fold by fold" in text
    assert "## Log-loss" in text
    heading = next(line for line in text.splitlines() if line.startswith("| data"))
    assert [cell.strip() for cell in heading.split("|")[2:-1]] == ["svm", "nearest-mean", "vmrml"]
    for name in ("first", "second", "average"):
        assert re.search(rf"^\| {name} ", text, re.MULTILINE)
    assert "**" in text


def test_cells_are_those_of_evaluate(m3lak, sets):
    compared = m3lak("compare", sets[0], *QUICK, "--json").json()
    evaluated = m3lak("evaluate", "first.npz", "--method", "vmrml", "--folds", 3, "--json").json()
    cells = [cell for cell in compared["cells"] if cell["method"] == "vmrml"]
    assert [c["accuracy"] for c in cells] == [f["accuracy"] for f in evaluated["folds"]]
    summary = next(row for row in compared["summary"] if row["method"] == "vmrml")
    assert summary["accuracy"]["mean"] == pytest.approx(evaluated["accuracy"]["mean"])
    assert summary["against"] == "svm"
    assert 0 <= summary["p_resampled_t"] <= 1
    assert 0 <= summary["p_wilcoxon"] <= 1


def test_csv_has_a_line_a_cell(m3lak, sets):
    text = m3lak("compare", *sets, *QUICK, "--repeat", 2, "--csv").out
    rows = list(csv.DictReader(io.StringIO(text)))
    assert len(rows) == 2 * 3 * 3 * 2
    assert {row["seed"] for row in rows} == {"1", "2"}
    assert all(0 <= float(row["accuracy"]) <= 1 for row in rows)


def test_it_goes_on_where_it_was_killed(m3lak, program, sets, tmp_path, tiny):
    arguments = ["compare", "first.npz", "--methods", "m3lak,nearest-mean", "--folds", "5",
                 "--threads", "1", "--results", "kept.jsonl", *map(str, tiny)]  # fmt: skip
    kept = tmp_path / "kept.jsonl"
    running = subprocess.Popen([program, *arguments], cwd=tmp_path, stderr=subprocess.PIPE,
                               stdout=subprocess.PIPE)  # fmt: skip
    while not kept.exists() or kept.read_text().count("\n") < 2:
        time.sleep(0.01)
        assert running.poll() is None
    running.kill()
    running.communicate()
    before = kept.read_text().splitlines()
    result = m3lak(*arguments, "--json")
    assert re.search(r"note: [2-9] of 10 cells were finished before", result.err)
    assert kept.read_text().splitlines()[: len(before) - 1] == before[:-1]
    assert len({json.loads(line)["fold"] for line in kept.read_text().splitlines()}) == 5
    assert result.json()["cells"] == m3lak(*arguments, "--json").json()["cells"]


def test_finished_cells_are_shown_and_nothing_is_computed(m3lak, sets, tmp_path):
    m3lak("compare", sets[0], "--methods", "svm", "--folds", 3, "--results", "kept.jsonl")
    kept = tmp_path / "kept.jsonl"
    kept.chmod(0o444)
    before = kept.read_text()
    found = m3lak(
        "compare", *sets, *QUICK, "--results", "kept.jsonl", "--finished", "--json"
    ).json()
    assert [(cell["data"], cell["method"]) for cell in found["cells"]] == [("first", "svm")] * 3
    text = m3lak("compare", *sets, *QUICK, "--results", "kept.jsonl", "--finished").out
    assert re.search(r"^\| second +\| +- \|", text, re.MULTILINE)
    assert kept.read_text() == before
    scaled = m3lak("scale", "first.npz", "--train", "20,40", "--methods", "vmrml", "--results",
                   "kept.jsonl", "--finished", "--json").json()  # fmt: skip
    assert scaled["cells"] == []
    swept = m3lak("sweep", "first.npz", "--latent", "2,3", "--results", "kept.jsonl",
                  "--finished", "--json").json()  # fmt: skip
    assert swept["cells"] == []


def test_reliability_is_of_all_sets_and_kept_with_results(m3lak, sets, tmp_path):
    def table(*arguments):
        result = m3lak("compare", *sets, "--methods", "svm,vmrml", "--folds", 3, "--results",
                       "kept.jsonl", "--reliability", "sure.csv", *arguments)  # fmt: skip
        return result.err, (tmp_path / "sure.csv").read_text()

    _, text = table()
    rows = list(csv.DictReader(io.StringIO(text)))
    for method in ("svm", "vmrml"):
        assert sum(float(r["instances"]) for r in rows if r["method"] == method) == 2 * 60
    err, again = table("--finished")
    assert again == text
    assert "note" not in err

    kept = tmp_path / "kept.jsonl"
    cells = [json.loads(line) for line in kept.read_text().splitlines()]
    for cell in cells[:2]:
        del cell["reliability"]  # as in files of before it was kept
    kept.write_text("".join(json.dumps(cell, separators=(",", ":")) + "\n" for cell in cells))
    err, fewer = table("--finished")
    assert "note: 2 of 12 cells are not in sure.csv" in err
    assert fewer != text


def test_ctrl_c_says_how_to_go_on(program, sets, tmp_path):
    running = subprocess.Popen(
        [program, "compare", "first.npz", "--methods", "m3lak", "--results", "kept.jsonl"],
        cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    time.sleep(1)
    running.send_signal(signal.SIGINT)
    _, err = running.communicate(timeout=60)
    assert running.returncode == 130
    assert "kept in kept.jsonl: run the same command again" in err


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("compare",), USAGE, ["no data"]),
        (("compare", "first.npz", "--methods", "svn"), USAGE, ["svn", "m3lak|"]),
        (("compare", "first.npz", "first.npz"), USAGE, ["two sets", "'first'"]),
        (("compare", "first.npz@5"), USAGE, ["5"]),
        (("compare", "gone.npz"), DATA, ["gone.npz"]),
        (("compare", "first.npz", "--repeat", "0"), USAGE, ["--repeat"]),
        (("compare", "first.npz", "--json", "--csv"), USAGE, ["--json"]),
        (
            ("compare", "first.npz", "--methods", "svm", "--results", "no/where"),
            USAGE,
            ["no/where"],
        ),
        (("compare", "first.npz", "--limit", "0"), USAGE, ["--limit"]),
        (("compare", "first.npz", "--reliability", "no/x.csv"), USAGE, ["no/x.csv", "mkdir"]),
        (("compare", "first.npz", "--finished"), USAGE, ["--finished", "--results"]),
        (
            ("compare", "first.npz", "--results", "gone.jsonl", "--finished"),
            USAGE,
            ["gone.jsonl", "no results yet"],
        ),
        (("sweep", "first.npz"), USAGE, ["--latent"]),
        (("sweep", "first.npz", "--latent", "5", "--C", "1"), USAGE, ["one setting"]),
        (("sweep", "first.npz", "--latent", "0"), USAGE, ["above 0"]),
        (("sweep", "first.npz", "--latent", "5", "--methods", "svm"), USAGE, ["no latent space"]),
        (("scale", "first.npz", "--train", "60"), USAGE, ["--train 60"]),
        (("scale", "first.npz", "--train", "30", "--limit", "0"), USAGE, ["--limit"]),
    ],
)
def test_refusals(m3lak, sets, arguments, code, words):
    result = m3lak(*arguments, good=False)
    assert result.code == code
    assert result.out == ""
    for word in words:
        assert word in result.err


def test_scale(m3lak, sets):
    result = m3lak("scale", "first.npz", "--train", "20,40", "--methods", "vmrml,nearest-mean",
                   "--csv")  # fmt: skip
    rows = list(csv.DictReader(io.StringIO(result.out)))
    assert [(row["method"], row["trained"]) for row in rows] == [
        ("vmrml", "20"), ("vmrml", "40"), ("nearest-mean", "20"), ("nearest-mean", "40"),
    ]  # fmt: skip
    assert all(float(row["peak_bytes"]) > 1e6 for row in rows)
    found = m3lak("scale", "first.npz", "--train", "20,40", "--methods", "vmrml", "--json").json()
    assert [cell["trained"] for cell in found["cells"]] == [20, 40]
    assert "summary" not in found  # a mean over sizes says nothing
    text = m3lak("scale", "first.npz", "--train", "20,40", "--methods", "vmrml").out
    assert "## first: Peak memory (GB)" in text


def test_scale_ends_what_takes_too_long(m3lak, sets):
    text = m3lak("scale", "first.npz", "--train", "30", "--methods", "m3lak", "--limit", 0.1).out
    assert "longer than 0.1 s" in text


def test_compare_ends_what_takes_too_long(m3lak, sets):
    found = m3lak("compare", "first.npz", "--methods", "m3lak,nearest-mean", "--folds", 3,
                  "--limit", 0.1, "--json").json()  # fmt: skip
    failures = [(cell["method"], cell.get("failure", "")) for cell in found["cells"]]
    assert failures == [("m3lak", "longer than 0.1 s")] * 3 + [("nearest-mean", "")] * 3


def test_sweep_draws(m3lak, refuses, sets, tmp_path, tiny):
    small = list(tiny)
    at = small.index("--latent")
    del small[at : at + 2]
    result = m3lak("sweep", "first.npz", "--latent", "2,3", "--folds", 3, "--plot", "m.svg", *small,
                   "--methods", "m3lak,bm2smvl")  # fmt: skip
    assert "## first: accuracy (%) ± standard error" in result.out
    assert len(re.findall(r"^\| [23] ", result.out, re.MULTILINE)) == 2
    picture = xml.parse(tmp_path / "m.svg").getroot()
    lines = picture.iter("{http://www.w3.org/2000/svg}polyline")
    assert [len(line.get("points").split()) for line in lines] == [2, 2]
    refuses(
        USAGE,
        ["--plot m.pdf", ".svg or .png"],
        "sweep",
        "first.npz",
        "--latent",
        2,
        "--plot",
        "m.pdf",
    )


def test_trace_draws(m3lak, sets, tmp_path, tiny):
    m3lak("train", "first.npz", "-o", "model.m3lak", "--trace", "trace.svg", *tiny)
    assert xml.parse(tmp_path / "trace.svg").getroot().tag.endswith("svg")
