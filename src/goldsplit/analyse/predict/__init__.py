"""What would change: ceilings, what-if, other layouts, drift, another horizon."""
