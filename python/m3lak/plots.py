"""Plots of what a fitted M3LAKClassifier has learned. They need matplotlib.

Each function takes a classifier, and axes to draw on if there are any, and returns the axes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from m3lak.classifier import M3LAKClassifier


def _axes(ax: Any) -> Any:
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    return plt.subplots(layout="constrained")[1]


def plot_relevance(model: M3LAKClassifier, ax: Any = None) -> Any:
    """How much each latent dimension explains of each view: shared ones are dark in several rows.

    Each view's numbers are divided by their largest; dimensions are sorted.
    """
    ax = _axes(ax)
    relevance = np.array(list(model.relevance_.values()))
    shares = relevance / np.maximum(relevance.max(axis=1, keepdims=True), np.finfo(float).tiny)
    order = np.argsort(-shares.sum(axis=0), kind="stable")
    image = ax.imshow(shares[:, order], aspect="auto", cmap="Blues", vmin=0, vmax=1)
    ax.set(xlabel="latent dimension, sorted", title="Relevance of latent dimensions")
    ax.set_yticks(range(len(model.view_names_)), model.view_names_)
    ax.figure.colorbar(image, ax=ax, label="variance explained, over the largest")
    return ax


def plot_features(model: M3LAKClassifier, view: str, top: int = 20, ax: Any = None) -> Any:
    """The features of a view with the largest weights in the linear part of the classifier.

    Of several classes, for each feature the class for which it speaks most.
    """
    ax = _axes(ax)
    weights = model.feature_weights_
    if view not in weights:
        raise ValueError(f"view {view!r}: the views are {list(weights)}")
    values = weights[view]
    if values.ndim == 2:
        values = values[np.arange(len(values)), np.abs(values).argmax(axis=1)]
    largest = np.argsort(-np.abs(values), kind="stable")[:top][::-1]
    known = model.model_.feature_names[model.view_names_.index(view)]
    names = [known[i] if known else f"feature {i}" for i in largest]
    colours = np.where(values[largest] > 0, "tab:blue", "tab:orange")
    ax.barh(range(len(largest)), values[largest], color=list(colours))
    ax.set_yticks(range(len(largest)), names)
    ax.axvline(0, color="black", linewidth=0.8)
    ax.set(xlabel="weight (scaled data)", title=f"Largest weights of {view}")
    return ax


def plot_kernel(
    model: M3LAKClassifier,
    t: Any = None,
    directions: Any = None,
    level: float = 0.9,
    ax: Any = None,
) -> Any:
    """The learned kernel along directions of the latent space, with its credible band."""
    ax = _axes(ax)
    t = np.linspace(0, 6, 121) if t is None else np.asarray(t, dtype=float)
    mean, low, high = model.kernel(t, directions, level)
    for i in range(len(mean)):
        (line,) = ax.plot(t, mean[i], label=f"direction {i + 1}")
        ax.fill_between(t, low[i], high[i], color=line.get_color(), alpha=0.2, linewidth=0)
    ax.set(xlabel="distance t", ylabel="k(t)", title=f"Learned kernel, {level:.0%} band")
    ax.legend()
    return ax


def plot_mixture(model: M3LAKClassifier, direction: Any = None, ax: Any = None) -> Any:
    """Frequencies along a direction: all draws, and the density of the mixture they follow."""
    ax = _axes(ax)
    u = model._directions(direction)[0]
    values = (model.frequencies_ @ u).ravel()
    limit = max(np.abs(values).max(), np.finfo(float).tiny)
    at = np.linspace(-limit, limit, 201)
    density = np.zeros_like(at)
    for mixture in model.mixture_:
        means = mixture["means"] @ u
        variances = np.einsum("i,kij,j->k", u, mixture["covariances"], u)
        for weight, mean, variance in zip(mixture["weights"], means, variances, strict=True):
            scale = weight / np.sqrt(2 * np.pi * variance)
            density += scale * np.exp(-((at - mean) ** 2) / (2 * variance))
    ax.hist(values, bins=40, density=True, color="lightgray", label="frequencies")
    ax.plot(at, density / len(model.mixture_), label="mixture")
    ax.set(xlabel="frequency", ylabel="density", title="Mixture over frequencies")
    ax.legend()
    return ax


def plot_trace(model: M3LAKClassifier, name: str = "log_joint", ax: Any = None) -> Any:
    """A quantity of ``trace_`` against the iteration, one line a chain; burn-in is shaded."""
    ax = _axes(ax)
    trace = model.trace_
    if name not in trace or trace[name].ndim != 1:
        known = [key for key, values in trace.items() if values.ndim == 1]
        raise ValueError(f"name={name!r}: must be one of {known}")
    for chain in np.unique(trace["chain"]):
        own = (trace["chain"] == chain) & ~((name == "training_accuracy") & (trace[name] < 0))
        ax.plot(trace["iteration"][own], trace[name][own], label=f"chain {int(chain) + 1}")
    ax.axvspan(0, int(model.model_.options.get("burn-in")), color="lightgray", alpha=0.5)
    ax.set(xlabel="iteration", ylabel=name, title="Trace")
    ax.legend()
    return ax
