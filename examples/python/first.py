"""A first model: is a breast mass benign? Ten properties of its cell nuclei, in three views."""

from m3lak import M3LAKClassifier
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split


def as_views(X):
    return {"mean": X[:, :10], "error": X[:, 10:20], "worst": X[:, 20:]}


data = load_breast_cancer()
X_train, X_test, y_train, y_test = train_test_split(
    data.data, data.target_names[data.target], stratify=data.target, random_state=1
)

# Few iterations, for speed: a warning says that the chain is short. The defaults are better.
model = M3LAKClassifier(iterations=100, burn_in=50).fit(as_views(X_train), y_train)
print(f"right of {len(y_test)} new cases: {model.score(as_views(X_test), y_test):.1%}")

probability, std = model.predict_proba(as_views(X_test), return_std=True)
for truth, p, s in zip(y_test[:5], probability[:, 1], std[:, 1], strict=False):
    print(f"P({model.classes_[1]}) = {p:.3f} ± {s:.3f}, it is {truth}")
