"""Settings with which a fit takes a moment."""

QUICK = dict(
    iterations=40, burn_in=20, latent=3, features=10, scaling="standardize", calibrate=False
)
