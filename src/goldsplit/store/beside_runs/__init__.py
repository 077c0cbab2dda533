"""Files beside runs: TensorBoard scalars that a program wrote, profiles of settings that tuning wrote."""
