"""Ready parts for the fixes that most training loops need; usable without the profiler.

Each part is imported from its own module, so that nothing is compiled or imported before it is used:
``replay``, ``vector``, ``kernels``, ``returns``, ``categorical`` (and ``categorical_torch``), ``frames``,
``buffers``, ``running``, ``cache``, ``learner``. Torch is needed by ``learner``,
``categorical_torch`` and ``replay.device``.
"""
