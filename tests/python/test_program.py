"""The package and the program are one: same bits, same files."""

import csv
import io

import numpy as np
import pytest
from m3lak import M3LAKClassifier, read, simulate
from numpy.testing import assert_array_equal
from quick_settings import QUICK

FLAGS = [
    *("--iterations", 40, "--burn-in", 20, "--latent", 3, "--features", 10),
    *("--scaling", "standardize", "--calibrate", "no"),
]


def test_same_bits(m3lak, tmp_path):
    m3lak("simulate", "-o", "data.npz", "--instances", 80, "--views", "6,8", "--seed", 4)
    m3lak("train", "data.npz", "-o", "program.m3lak", "--seed", 7, *FLAGS)
    views, y = read(tmp_path / "data.npz")
    model = M3LAKClassifier(**QUICK, random_state=7).fit(views, y)
    model.save(tmp_path / "package.m3lak")
    one, two = (tmp_path / f"{name}.m3lak" for name in ("program", "package"))
    assert one.read_bytes() == two.read_bytes()
    for threads in (1, 2):
        again = M3LAKClassifier(**QUICK, random_state=7, n_jobs=threads).fit(views, y)
        assert again.predict_proba(views).tobytes() == model.predict_proba(views).tobytes()


def test_default_settings_give_the_same_bits(m3lak, tmp_path):
    m3lak("simulate", "-o", "data.npz", "--instances", 40, "--views", "3,4", "--seed", 4)
    short = ["--iterations", 30, "--burn-in", 10]
    m3lak("train", "data.npz", "-o", "program.m3lak", *short)
    model = M3LAKClassifier(iterations=30, burn_in=10).fit(*read(tmp_path / "data.npz"))
    model.save(tmp_path / "package.m3lak")
    one, two = (tmp_path / f"{name}.m3lak" for name in ("program", "package"))
    assert one.read_bytes() == two.read_bytes()


def test_simulated_data_is_the_same(m3lak, tmp_path):
    m3lak("simulate", "-o", "data.npz", "--instances", 30, "--views", "3,4", "--seed", 9,
          "--boundary", "ring", "--missing-views", 0.2, "--unknown-labels", 0.2)  # fmt: skip
    views, y = read(tmp_path / "data.npz")
    mine, labels = simulate(instances=30, views=(3, 4), boundary="ring", missing_views=0.2,
                            unknown_labels=0.2, random_state=9)  # fmt: skip
    assert_array_equal(y, labels)
    for name in mine:
        assert_array_equal(views[name], mine[name])
    with pytest.raises(ValueError, match="boundary star"):
        simulate(boundary="star")


def test_models_of_the_program(m3lak, tmp_path, task):
    views, y = task
    np.savez(tmp_path / "data.npz", X1=views["view1"], X2=views["view2"],
             y=np.where(y == 1, "ill", "well"))  # fmt: skip
    m3lak("train", "data.npz", "-o", "model.m3lak", *FLAGS)
    table = m3lak("predict", "model.m3lak", "data.npz").out
    rows = list(csv.DictReader(io.StringIO(table)))
    model = M3LAKClassifier.load(tmp_path / "model.m3lak")
    assert model.view_names_ == ["X1", "X2"]
    assert model.iterations == 40
    found = model.predict_proba(list(views.values()))
    assert list(model.classes_) == ["ill", "well"]
    expected = [float(row["P(ill)"] if "P(ill)" in row else row["probability_ill"]) for row in rows]
    np.testing.assert_allclose(found[:, 0], expected, atol=1e-6)


def test_load_and_save(fitted, task, tmp_path):
    views, y = task
    fitted.save(tmp_path / "model.m3lak")
    again = M3LAKClassifier.load(tmp_path / "model.m3lak")
    assert_array_equal(again.predict_proba(views), fitted.predict_proba(views))
    assert_array_equal(again.predict(views), fitted.predict(views))
    X = np.hstack(list(views.values()))
    cut = M3LAKClassifier.load(tmp_path / "model.m3lak", views=[6, 8])
    assert_array_equal(cut.predict_proba(X), fitted.predict_proba(views))
    ours, theirs = again.get_params(), fitted.get_params()
    for name in ("thin", "base_dof"):  # what was "auto" is as chosen
        ours.pop(name), theirs.pop(name)
    assert ours == theirs


def test_files_that_are_no_models(tmp_path):
    with pytest.raises(FileNotFoundError):
        M3LAKClassifier.load(tmp_path / "none.m3lak")
    with pytest.raises(FileNotFoundError):
        read(tmp_path / "none.npz")
    (tmp_path / "bad.m3lak").write_bytes(b"nothing of the kind")
    with pytest.raises(ValueError, match="bad.m3lak"):
        M3LAKClassifier.load(tmp_path / "bad.m3lak")


def test_a_folder_that_cannot_be_written_to(fitted, tmp_path):
    with pytest.raises(FileNotFoundError, match="no/where"):
        fitted.save(tmp_path / "no/where/model.m3lak")
