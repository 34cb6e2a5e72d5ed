# Kernels that are compiled once for each instruction set and chosen at run time.
