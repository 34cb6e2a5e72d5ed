"""Prediction, as a user calls it."""

import csv
import io
import re

import numpy as np
import pytest

USAGE, DATA = 2, 3


def rows_of(text):
    return list(csv.DictReader(io.StringIO(text, newline="")))


def test_two_classes(m3lak, model, data, tmp_path):
    result = m3lak("predict", model, data, "-o", "out.csv")
    assert result.out == ""
    assert "wrote out.csv" in result.err
    rows = rows_of((tmp_path / "out.csv").read_text())
    assert list(rows[0]) == ["id", "class", "score", "spread", "probability_1", "probability_2"]
    assert [row["id"] for row in rows] == [str(n) for n in range(1, 81)]
    for row in rows:
        assert float(row["probability_1"]) + float(row["probability_2"]) == pytest.approx(1)
        assert float(row["spread"]) >= 0
        assert row["class"] == ("2" if float(row["score"]) > 0 else "1")


def test_accuracy_is_told_if_there_are_labels(m3lak, model, data, tmp_path):
    result = m3lak("predict", model, data)
    labels = np.load(tmp_path / data)["y"]
    right = np.mean(
        [float(row["class"]) == y for row, y in zip(rows_of(result.out), labels, strict=True)]
    )
    told = re.search(r"accuracy (\S+) over 80 labelled instances", result.err)
    assert float(told[1]) == pytest.approx(right, abs=1e-4)


def test_standard_output_is_what_the_file_would_be(m3lak, model, data, tmp_path):
    m3lak("predict", model, data, "-o", "out.csv")
    assert m3lak("predict", model, data).out == (tmp_path / "out.csv").read_text()


def test_quiet(m3lak, model, data):
    assert m3lak("predict", model, data, "-o", "out.csv", "--quiet").err == ""


def test_three_classes(m3lak, three_classes, tiny):
    m3lak("train", *three_classes, "-o", "model.m3lak", *tiny)
    rows = rows_of(m3lak("predict", "model.m3lak", *three_classes).out)
    columns = [f"{name}_{c}" for name in ("score", "spread", "probability") for c in "abc"]
    assert list(rows[0]) == ["id", "class", *columns]
    assert [row["id"] for row in rows] == [f"p{n}" for n in range(60)]
    for row in rows:
        scores = {c: float(row[f"score_{c}"]) for c in "abc"}
        assert row["class"] == max(scores, key=scores.get)
        assert sum(float(row[f"probability_{c}"]) for c in "abc") == pytest.approx(1)


def test_latent_space(m3lak, model, data):
    rows = rows_of(m3lak("predict", model, data, "--latent").out)
    assert list(rows[0])[-3:] == ["h1", "h2", "h3"]
    latent = np.array([[float(row[f"h{k}"]) for k in (1, 2, 3)] for row in rows])
    assert np.isfinite(latent).all()
    assert (latent.std(axis=0) > 0).all()


def test_threads_do_not_matter(m3lak, model, data):
    first, second = (m3lak("predict", model, data, "--threads", n).out for n in (1, 3))
    assert first == second


def test_json(m3lak, model, data):
    summary = m3lak("predict", model, data, "-o", "out.csv", "--json").json()
    assert summary["output"] == "out.csv"
    assert summary["instances"] == 80
    assert sum(summary["classes"].values()) == 80
    assert 0.5 < summary["accuracy"] <= 1
    assert 0.5 < summary["auc"] <= 1


def test_json_needs_a_file(refuses, model, data):
    refuses(USAGE, ["--json", "-o"], "predict", model, data, "--json")


def test_gaps(m3lak, model):
    m3lak("simulate", "-o", "gaps.npz", "--instances", 80, "--views", "6,8", "--latent", 3,
          "--missing-views", 0.4, "--missing-cells", 0.1)  # fmt: skip
    rows = rows_of(m3lak("predict", model, "gaps.npz").out)
    assert len(rows) == 80
    assert all(np.isfinite(float(row["score"])) for row in rows)


def test_data_without_labels_and_without_a_view(m3lak, model, data, tmp_path):
    arrays = np.load(tmp_path / data)
    views = {"X1": arrays["X1"], "X2": arrays["X2"], "view_names": arrays["view_names"]}
    np.savez(tmp_path / "bare.npz", **views)
    labelled, bare = m3lak("predict", model, data), m3lak("predict", model, "bare.npz")
    assert bare.out == labelled.out
    assert "accuracy" not in bare.err
    np.savez(tmp_path / "one.npz", X1=arrays["X2"], view_names=["view2"])
    one = m3lak("predict", model, "one.npz")
    assert len(rows_of(one.out)) == 80


def test_labels_of_other_classes(m3lak, three_classes, tiny):
    m3lak("train", *three_classes, "-o", "model.m3lak", "--positive", "b", *tiny)
    result = m3lak("predict", "model.m3lak", *three_classes)
    assert "does not know the class 'a'" in result.err
    assert "accuracy 0" not in result.err
    assert (
        "over 60 labelled" in m3lak("predict", "model.m3lak", *three_classes, "--positive", "b").err
    )


def test_odd_names_come_back_as_they_were(m3lak, tiny, tmp_path):
    odd = ["a,b", 'say "hi"', "tab\there", "Zürich", "=1+1", "-5", "line\nbreak"]
    names = odd + [f"n{i}" for i in range(12)]
    with open(tmp_path / "x.csv", "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["id", "f1", "f,2", "label"])
        for n, name in enumerate(names):
            writer.writerow([name, n % 2 + n / 100, n % 5, "yes, it is" if n % 2 else "no"])
    table = ["x.csv", "--label-column", "label"]
    m3lak("train", *table, "-o", "model.m3lak", *tiny)
    rows = rows_of(m3lak("predict", "model.m3lak", *table).out)
    assert [row["id"] for row in rows] == names
    assert "probability_yes, it is" in rows[0]
    assert {row["class"] for row in rows} <= {"no", "yes, it is"}


@pytest.mark.parametrize("share", [0, 0.001, 0.1, 0.5, 0.999])
def test_a_model_that_was_cut_off(refuses, model, data, tmp_path, share):
    whole = (tmp_path / model).read_bytes()
    (tmp_path / "cut.m3lak").write_bytes(whole[: int(len(whole) * share)])
    refuses(DATA, ["cut.m3lak"], "predict", "cut.m3lak", data)


@pytest.mark.parametrize("share", [0.001, 0.1, 0.5, 0.999])
def test_a_model_that_was_altered(refuses, model, data, tmp_path, share):
    altered = bytearray((tmp_path / model).read_bytes())
    altered[int(len(altered) * share)] ^= 1
    (tmp_path / "altered.m3lak").write_bytes(altered)
    refuses(DATA, ["altered.m3lak"], "predict", "altered.m3lak", data)


def test_what_is_no_model(refuses, data):
    refuses(DATA, ["data.npz", "not a model"], "predict", data, data)
    refuses(DATA, ["none.m3lak", "no such file"], "predict", "none.m3lak", data)
    refuses(USAGE, ["MODEL"], "predict")


def test_other_views(m3lak, refuses, model):
    m3lak("simulate", "-o", "wide.npz", "--instances", 20, "--views", "6,9")
    refuses(DATA, ["'view2'", "9", "8"], "predict", model, "wide.npz")
    m3lak("simulate", "-o", "more.npz", "--instances", 20, "--views", "6,8,5")
    refuses(DATA, ["'view3'", "'view1', 'view2'"], "predict", model, "more.npz")


def test_output_is_checked_before_anything_is_read(refuses):
    refuses(USAGE, ["no/such/out.csv", "does not exist"],
            "predict", "none.m3lak", "none.npz", "-o", "no/such/out.csv")  # fmt: skip
