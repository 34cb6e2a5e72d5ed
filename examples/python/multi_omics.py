"""Breast cancer in three views, mRNA, miRNA and protein: how well is it told, and by what?

Plots go to the folder that is the first argument, or to a temporary one.
"""

import os
import sys
import tempfile
import warnings
from importlib.util import find_spec
from pathlib import Path

import m3lak
import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import StratifiedKFold, cross_val_score

# Of mixOmics' TCGA data, if it is there: M3LAK_DATA names the folder.
file = Path(os.environ.get("M3LAK_DATA", ".")) / "tcga_breast" / "tcga_breast.mat"
if file.exists():
    print("TCGA's data: luminal A, or another subtype")
    views, y = m3lak.read(file)
    y = np.where(y == 3, "luminal A", "another")
else:
    print("simulated data of TCGA's shape, as there is no", file)
    views, y = m3lak.simulate(instances=150, views=(200, 184, 142), latent=10)
views = dict(zip(["mRNA", "miRNA", "protein"], views.values(), strict=True))

# One fit of few iterations, for speed: the chain is short, and would warn. The defaults are better.
warnings.simplefilter("ignore", ConvergenceWarning)
quick = {"scaling": "standardize", "calibrate": False, "iterations": 150, "burn_in": 50}

# scikit-learn's tools cut one array by its rows: all views side by side, and their sizes.
X, sizes = np.hstack(list(views.values())), [view.shape[1] for view in views.values()]
folds = StratifiedKFold(3, shuffle=True, random_state=1)
accuracy = cross_val_score(m3lak.M3LAKClassifier(views=sizes, **quick), X, y, cv=folds)
print(f"accuracy of 3 folds: {accuracy.round(3)}, mean {accuracy.mean():.3f}")

model = m3lak.M3LAKClassifier(**quick).fit(views, y)
for name, weights in model.feature_weights_.items():
    largest = np.argsort(-np.abs(weights))[:4]
    print(f"{name}: largest weights (positive: for {model.classes_[1]})")
    print("  ", ", ".join(f"feature {i}: {weights[i]:+.3f}" for i in largest))
    relevance = model.relevance_[name]
    print(f"   latent dimensions explain {relevance.sum():.0%}, the largest {relevance.max():.0%}")

if find_spec("matplotlib"):
    os.environ["MPLBACKEND"] = "Agg"  # plots into files, without a screen
    from m3lak import plots

    output = Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp())
    output.mkdir(parents=True, exist_ok=True)
    plots.plot_relevance(model).figure.savefig(output / "relevance.png")
    plots.plot_features(model, "protein").figure.savefig(output / "features.png")
    plots.plot_kernel(model).figure.savefig(output / "kernel.png")
    print("plots are in", output)
