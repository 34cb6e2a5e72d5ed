"""Missing views: tables about different patients, for training and for prediction.

Where a view is missing, the model is less certain of the latent space that all views share.
"""

import m3lak
import pandas as pd

# Three tables, simulated. Each is about some of the patients, in an order of its own.
views, y = m3lak.simulate(instances=400, views=(12, 8, 5), latent=3, random_state=2)
names = [f"patient{i:03}" for i in range(400)]
diagnosis = pd.Series(y, index=names)
blood, image, history = (pd.DataFrame(view, index=names) for view in views.values())
blood = blood.sample(frac=0.8, random_state=1)
image = image.sample(frac=0.7, random_state=2)
history = history.sample(frac=0.9, random_state=3)

# The same rows in all tables: NaN where a table does not have the patient.
tables = m3lak.join({"blood": blood, "image": image, "history": history})
patients = tables["blood"].index
for name, table in tables.items():
    print(f"{name:8} {table.isna().all(axis=1).sum():3} of {len(table)} patients lack it")

train, new = patients[:300], patients[300:]
# A scaling that is given and no calibration: one fit, for speed. The defaults are better.
model = m3lak.M3LAKClassifier(
    latent=3, iterations=1500, burn_in=200, scaling="standardize", calibrate=False
)
model.fit({name: table.loc[train] for name, table in tables.items()}, diagnosis[train])

unseen = {name: table.loc[new] for name, table in tables.items()}
print(f"accuracy of {len(new)} new patients: {model.score(unseen, diagnosis[new]):.3f}")
_, std = model.transform(unseen, return_std=True)
std = pd.Series(std.mean(axis=1), index=new)
has = pd.DataFrame({name: table.notna().any(axis=1) for name, table in unseen.items()})
print("standard deviation of the latent space, by the views that a patient has:")
print(std.groupby([has[name] for name in has]).agg(["mean", "count"]).round(3))

# A view that nobody has: None, or leave it out. (Rows without any view are refused.)
some = has["blood"] | has["history"]
without = {name: table[some] for name, table in unseen.items()} | {"image": None}
print(f"accuracy without images: {model.score(without, diagnosis[new][some]):.3f}")
