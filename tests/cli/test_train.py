"""Training, as a user calls it."""

import csv
import os
import pty
import re
import signal
import subprocess

import numpy as np
import pytest

USAGE, DATA = 2, 3


def test_summary_and_plan(m3lak, data, tiny, tmp_path):
    result = m3lak("train", data, "-o", "model.m3lak", *tiny)
    assert (tmp_path / "model.m3lak").read_bytes().startswith(b"m3lak model")
    assert "80 instances, 2 views, 14 features, 2 classes" in result.err
    assert re.search(r"1 chain of 60 iterations: keeps 30 draws, \d+ KiB", result.err)
    assert "wrote model.m3lak" in result.err
    assert re.search(r"^draws +30 of 1 chain$", result.out, re.M)
    assert re.search(
        r"^accepted moves +0\.\d+ of h, [01]\.\d+ of the frequencies$", result.out, re.M
    )
    assert re.search(r"^training accuracy +[01]\.\d+ ", result.out, re.M)
    assert re.search(r"^C +2$", result.out, re.M)
    assert re.search(r"checks (passed|failed)", result.out)


def test_json(m3lak, data, tiny):
    summary = m3lak("train", data, "-o", "model.m3lak", "--json", *tiny).json()
    assert summary["model"] == "model.m3lak"
    assert summary["draws"] == 30
    assert summary["classes"] == ["1", "2"]
    assert [view["name"] for view in summary["views"]] == ["view1", "view2"]
    assert 0 < summary["latent_acceptance"] <= 1
    assert 0 < summary["frequency_acceptance"] <= 1
    assert 0.5 < summary["training_accuracy"] <= 1
    assert summary["components"] >= 1
    assert summary["settings"]["latent"] == 3
    assert summary["settings"]["base-dof"] == "auto"
    assert summary["tried"] == []
    assert {"name", "passed", "value", "meaning", "remedy"} == set(summary["checks"][0])
    assert summary["trusted"] == all(check["passed"] for check in summary["checks"])


def test_quiet(m3lak, data, tiny):
    assert m3lak("train", data, "-o", "model.m3lak", "--quiet", *tiny).err == ""


def test_settings_that_are_given_change_the_preset(m3lak, data, tiny):
    arguments = ["train", data, "-o", "model.m3lak", "--preset", "paper", "--C", 3, "--json"]
    settings = m3lak(*arguments, "--base-dof", 7, *tiny[:8]).json()["settings"]
    assert settings["scaling"] == "center"  # the paper's
    assert settings["base"] == "isotropic"
    assert settings["C"] == 3
    assert settings["base-dof"] == 7


def test_the_trace_has_a_row_an_iteration_and_chain(m3lak, data, tiny, tmp_path):
    m3lak("train", data, "-o", "model.m3lak", "--trace", "trace.csv", "--chains", 2, *tiny)
    with open(tmp_path / "trace.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(int(row["chain"]), int(row["iteration"])) for row in rows] == [
        (chain, iteration) for chain in range(2) for iteration in range(1, 61)
    ]
    assert sum(int(row["kept"]) for row in rows) == 60
    for row in rows:
        assert np.isfinite(float(row["log_joint"]))
        assert 0 <= float(row["latent_acceptance"]) <= 1
        assert 0 <= float(row["frequency_acceptance"]) <= 1
        assert 0 <= float(row["training_accuracy"]) <= 1
        assert int(row["components"]) >= 1
        for name in ("weight_norm", "kernel_scale", "latent_step", "frequency_step"):
            assert float(row[name]) > 0
        for name in ("noise_view1", "noise_view2"):
            assert float(row[name]) > 0


def test_the_same_bits_for_any_number_of_threads(m3lak, data, tiny, tmp_path):
    for chains in (1, 2):
        models = []
        for threads in (1, 2, 3):
            m3lak(
                "train", data, "-o", "model.m3lak", "--threads", threads, "--chains", chains, *tiny
            )
            models.append((tmp_path / "model.m3lak").read_bytes())
        assert models[0] == models[1] == models[2]


def test_the_seed_matters(m3lak, data, tiny, tmp_path):
    models = []
    for seed in (1, 1, 2):
        m3lak("train", data, "-o", "model.m3lak", "--seed", seed, *tiny)
        models.append((tmp_path / "model.m3lak").read_bytes())
    assert models[0] == models[1] != models[2]


def test_C_by_cross_validation(m3lak, data):
    quick = ["--iterations", 10, "--burn-in", 5, "--latent", 2, "--features", 4]
    arguments = ["train", data, "-o", "model.m3lak", "--C", "auto", "--tuning-folds", 2, *quick]
    arguments += ["--scaling", "center"]
    summary = m3lak(*arguments, "--json").json()
    tried = {row["C"]: row["accuracy"] for row in summary["tried"]}
    assert sorted(tried) == list(range(1, 11))
    assert tried[summary["C"]] == max(tried.values())
    assert [row["C"] for row in summary["tried"] if row["weight"] == 1] == [summary["C"]]
    assert "cross-validation inside of the training data" in m3lak(*arguments).out


def test_scalings_are_averaged(m3lak, data):
    quick = ["--iterations", 30, "--burn-in", 10, "--latent", 3, "--features", 10]
    summary = m3lak("train", data, "-o", "model.m3lak", "--json", *quick).json()
    assert len({row["scaling"] for row in summary["tried"]}) == 2
    for row in summary["tried"]:
        assert row["scaling"].removeprefix("root-") in ("center", "standardize", "unit-length")
        assert row["C"] in (2, 10)
        assert sum(row["view_variances"]) == pytest.approx(len(row["view_variances"]))
    assert sum(row["weight"] for row in summary["tried"]) == pytest.approx(1)
    members = summary["members"]
    assert sum(member["weight"] for member in members) == pytest.approx(1)
    assert sorted(member["weight"] for member in members) == pytest.approx(
        sorted(row["weight"] for row in summary["tried"] if row["weight"] > 0)
    )
    assert m3lak("inspect", "model.m3lak", "--json", good=False).json()["members"] == members
    text = m3lak("inspect", "model.m3lak", good=False).out
    assert "weight" in text and "variance of views" in text


def test_gaps_of_all_kinds(m3lak, tiny):
    m3lak("simulate", "-o", "gaps.npz", "--instances", 100, "--views", "5,6,7", "--missing-views",
          0.2, "--missing-cells", 0.1, "--unknown-labels", 0.3)  # fmt: skip
    summary = m3lak("train", "gaps.npz", "-o", "model.m3lak", "--json", *tiny).json()
    assert summary["draws"] == 30


def test_one_class_against_the_rest(m3lak, three_classes, tiny):
    arguments = ["train", *three_classes, "-o", "model.m3lak", *tiny]
    assert m3lak(*arguments, "--json").json()["classes"] == ["a", "b", "c"]
    assert m3lak(*arguments, "--json", "--positive", "b").json()["classes"] == ["not b", "b"]
    two = m3lak(*arguments, "--json", "--positive", "a,c").json()
    assert two["classes"] == ["not a,c", "a,c"]


def test_a_class_that_is_not_there(refuses, three_classes):
    refuses(USAGE, ["'d'", "a", "b", "c"],
            "train", *three_classes, "-o", "model.m3lak", "--positive", "d")  # fmt: skip


@pytest.mark.parametrize(
    "option, value, message",
    [
        ("latent", "-3", "`latent = -3`: must be at least 1"),
        ("latent", "many", "`latent = many`: must be an integer of at least 1"),
        ("C", "-1", "`C = -1`: must be above 0, or auto"),
        ("label-weight", "2", "`label-weight = 2`: must be at most 1"),
        ("start", "zero", "`start = zero`: must be one of svd|random"),
        ("burn-in", "600", "`burn-in = 600`: must be below `iterations = 500`"),
        ("threads", "-1", "`threads = -1`: must be at least 1, or auto"),
        ("preset", "mine", "`preset = mine`: must be one of default|paper"),
    ],
)
def test_bad_settings(refuses, data, option, value, message):
    refuses(USAGE, ["m3lak: " + message], "train", data, "-o", "model.m3lak", f"--{option}", value)


def test_bad_data(refuses, tmp_path):
    (tmp_path / "x.csv").write_text("a,b\n1,2\n3,4\n5,7\n")
    refuses(DATA, ["no labels", "--labels"], "train", "x.csv", "-o", "model.m3lak")
    (tmp_path / "y.csv").write_text("label\nyes\nyes\nyes\n")
    refuses(DATA, ["all labels are 'yes'", "two classes"],
            "train", "x.csv", "--labels", "y.csv", "-o", "model.m3lak")  # fmt: skip


def test_outputs_are_checked_before_the_data_is_read(refuses):
    refuses(USAGE, ["no/such/model.m3lak", "does not exist"],
            "train", "none.npz", "-o", "no/such/model.m3lak")  # fmt: skip
    refuses(USAGE, ["no/such/trace.csv", "does not exist"],
            "train", "none.npz", "-o", "model.m3lak", "--trace", "no/such/trace.csv")  # fmt: skip
    refuses(USAGE, ["./model.m3lak", "another name"],
            "train", "none.npz", "-o", "model.m3lak", "--trace", "./model.m3lak")  # fmt: skip
    refuses(USAGE, ["--output"], "train", "none.npz")


class Running:
    """A training that would take hours; it keeps all draws."""

    def __init__(self, program, folder, *arguments):
        self.process = subprocess.Popen(
            [program, "train", "data.npz", "-o", "model.m3lak", "--latent", "3",
             "--iterations", "10000000", "--draws-memory", "1000000", "--thin", "1",
             "--scaling", "center", "--calibrate", "no", *arguments],
            cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE)  # fmt: skip

    def wait_for(self, text):
        """Until this was said on standard error."""
        line = b" "
        while line and text not in line:
            line = self.process.stderr.readline()
        assert line, f"ended without saying {text}"

    def stop(self, number):
        self.process.send_signal(number)
        out, err = self.process.communicate(timeout=60)
        return self.process.returncode, out.decode(), err.decode()


@pytest.mark.parametrize("number, status", [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_it_early_with_a_model(m3lak, program, data, tmp_path, number, status):
    running = Running(program, tmp_path, "--burn-in", "1")
    running.wait_for(b"sampling")
    code, out, err = running.stop(number)
    assert code == status
    assert "stopped early: model.m3lak holds the " in err
    assert "(stopped early)" in out
    assert m3lak("inspect", "model.m3lak", "--json", good=False).json()["stopped_early"]
    assert m3lak("predict", "model.m3lak", data).out.startswith("id,class,score")
    assert not list(tmp_path.glob(".*"))


def test_a_signal_in_burn_in(m3lak, program, data, tmp_path):
    running = Running(program, tmp_path, "--burn-in", "9000000")
    running.wait_for(b"keeps")
    code, _, err = running.stop(signal.SIGINT)
    assert code == 130
    assert "stopped in burn-in: model.m3lak holds the last state only" in err
    assert m3lak("predict", "model.m3lak", data).out.startswith("id,class,score")


def test_a_signal_while_C_is_chosen(program, data, tmp_path):
    running = Running(program, tmp_path, "--C", "auto", "--burn-in", "1")
    running.wait_for(b"keeps")
    code, out, err = running.stop(signal.SIGINT)
    assert code == 130
    assert out == ""
    assert "no model was written" in err
    assert not (tmp_path / "model.m3lak").exists()


def test_a_second_signal_ends_it_at_once(program, data, tmp_path):
    running = Running(program, tmp_path, "--features", "2500")  # an iteration takes seconds
    running.wait_for(b"keeps")
    running.process.send_signal(signal.SIGINT)
    running.wait_for(b"stopping")
    code, out, _ = running.stop(signal.SIGINT)
    assert code == -signal.SIGINT
    assert out == ""
    assert not (tmp_path / "model.m3lak").exists()


def test_progress_on_a_terminal_is_one_line_that_goes_away(program, data, tiny, tmp_path):
    leader, follower = pty.openpty()
    done = subprocess.run(
        [program, "train", "data.npz", "-o", "model.m3lak", *map(str, tiny)],
        cwd=tmp_path, stdout=subprocess.PIPE, stderr=follower)  # fmt: skip
    os.close(follower)
    said = os.read(leader, 1 << 16).decode()
    os.close(leader)
    assert done.returncode == 0
    bar = said[said.index("\r\x1b[Ksampling [") : said.index("wrote model.m3lak")]
    assert "\n" not in bar
    assert "60/60" in bar
    assert bar.endswith("\r\x1b[K")
    assert "\r" not in done.stdout.decode()


def test_views_may_stay_in_their_files(m3lak, data, tiny, tmp_path, refuses):
    m3lak("convert", data, "-o", "parts.npy")
    files = [
        "--view",
        "parts.view1.npy",
        "--view",
        "parts.view2.npy",
        "--labels",
        "parts.labels.npy",
    ]
    m3lak("train", *files, "-o", "memory.m3lak", "--quiet", *tiny)
    m3lak("train", *files, "-o", "stream.m3lak", "--quiet", "--stream", *tiny)
    assert (tmp_path / "stream.m3lak").read_bytes() == (tmp_path / "memory.m3lak").read_bytes()
    words = ["data.npz", "--stream", "m3lak convert data.npz -o DATA.npy"]
    refuses(USAGE, words, "train", data, "-o", "other.m3lak", "--stream", *tiny)
