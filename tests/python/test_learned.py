"""What the model learned, as arrays, plots and for ArviZ."""

import numpy as np
import pytest
from m3lak import M3LAKClassifier, simulate
from sklearn.exceptions import NotFittedError


def test_shapes(fitted):
    sizes = {"view1": 6, "view2": 8}
    assert {name: x.shape for name, x in fitted.loadings_.items()} == {
        name: (size, 3) for name, size in sizes.items()
    }
    assert {name: x.shape for name, x in fitted.relevance_.items()} == dict.fromkeys(sizes, (3,))
    for learned in (fitted.feature_relevance_, fitted.feature_weights_):
        assert {name: x.shape for name, x in learned.items()} == {n: (s,) for n, s in sizes.items()}
    draws = len(fitted.model_.draws)
    assert fitted.frequencies_.shape == (draws, 10, 3)
    assert len(fitted.mixture_) == draws
    for mixture in fitted.mixture_:
        k = len(mixture["weights"])
        assert mixture["means"].shape == (k, 3)
        assert mixture["covariances"].shape == (k, 3, 3)
        assert 0 < mixture["weights"].sum() <= 1 + 1e-9
        assert (np.linalg.eigvalsh(mixture["covariances"]) > 0).all()


def test_kernel(fitted):
    mean, low, high = fitted.kernel([0, 0.5, 1], level=0.8)
    assert mean.shape == (3, 3)
    np.testing.assert_allclose(mean[:, 0], 1)
    assert (low <= mean + 1e-12).all() and (mean <= high + 1e-12).all()
    u = np.array([1.0, 2.0, -1.0])
    at = fitted.kernel(0.7, u)[0]
    by_hand = [np.cos(0.7 * draw @ u).mean() for draw in fitted.frequencies_]
    np.testing.assert_allclose(at, [[np.mean(by_hand)]])
    with pytest.raises(ValueError, match="2 dimensions; the latent space has 3"):
        fitted.kernel([1], [[1, 0]])
    with pytest.raises(ValueError, match="level"):
        fitted.kernel([1], level=2)


def test_uncertainty_of_the_latent_space(fitted, task):
    """With a view missing, there is more of it."""
    views, _ = task
    mean, std = fitted.transform(views, return_std=True)
    np.testing.assert_array_equal(mean, fitted.transform(views))
    _, without = fitted.transform({"view1": views["view1"]}, return_std=True)
    assert std.shape == without.shape == (80, 3)
    assert (std > 0).all()
    assert (without**2).sum(axis=1).mean() > (std**2).sum(axis=1).mean()


def test_uncertainty_of_scores(fitted, task):
    views, _ = task
    odds, std = fitted.decision_function(views, return_std=True)
    probability, spread = fitted.predict_proba(views, return_std=True)
    np.testing.assert_allclose(1 / (1 + np.exp(-odds)), probability[:, 1])
    # One fit, uncalibrated: the log odds are the score, and their deviations the same.
    found = fitted._predict(views)
    np.testing.assert_allclose(odds, found.score[:, 0], rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(std, found.spread[:, 0], rtol=1e-6)
    np.testing.assert_allclose(spread[:, 0], spread[:, 1])


def test_relevant_features_are_found():
    """Labels that one feature tells: it has the largest weight."""
    views, _ = simulate(instances=200, views=(6, 5), random_state=2)
    y = views["view1"][:, 4] > 0
    model = M3LAKClassifier(iterations=100, burn_in=50).fit(views, y)
    weights = model.feature_weights_
    assert np.abs(weights["view1"]).argmax() == 4
    assert weights["view1"][4] > 2 * np.abs(weights["view2"]).max()


def test_traces(fitted):
    trace = fitted.trace_
    assert len(trace["log_joint"]) == 2 * 40
    assert trace["noise"].shape == (80, 2)
    assert set(trace["chain"]) == {0, 1}
    assert trace["kept"].sum() == len(fitted.model_.draws)


def test_checks_and_what_was_tried(fitted, task):
    assert {"name", "passed", "value", "meaning", "remedy"} == fitted.checks_[0].keys()
    assert fitted.tried_ == []
    tuned = M3LAKClassifier(iterations=30, burn_in=10).fit(*task)
    assert sum(entry["weight"] for entry in tuned.tried_) == pytest.approx(1)


def test_nothing_is_learned_before_fit():
    for name in ("relevance_", "trace_", "checks_", "mixture_"):
        with pytest.raises(NotFittedError):
            getattr(M3LAKClassifier(), name)


def test_arviz(fitted):
    arviz = pytest.importorskip("arviz")
    summary = arviz.summary(fitted.to_arviz())
    assert {"log_joint", "kernel_scale", "noise[view1]", "noise[view2]"} <= set(summary.index)
    assert np.isfinite(summary.loc["log_joint", "r_hat"])
    assert summary.loc["log_joint", "ess_bulk"] > 1


def test_plots(fitted):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    from m3lak import plots

    axes = [
        plots.plot_relevance(fitted),
        plots.plot_features(fitted, "view2", top=3),
        plots.plot_kernel(fitted),
        plots.plot_mixture(fitted),
        plots.plot_trace(fitted),
        plots.plot_trace(fitted, "training_accuracy"),
    ]
    assert [text.get_text() for text in axes[0].get_yticklabels()] == ["view1", "view2"]
    assert len(axes[1].patches) == 3
    assert len(axes[2].lines) == 3
    assert len(axes[4].lines) == 2
    given = plt.subplots()[1]
    assert plots.plot_kernel(fitted, ax=given) is given
    for ax in axes:
        ax.figure.canvas.draw()
    plt.close("all")
    with pytest.raises(ValueError, match="view3"):
        plots.plot_features(fitted, "view3")
    with pytest.raises(ValueError, match="log_joint"):
        plots.plot_trace(fitted, "noise")
