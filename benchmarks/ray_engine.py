"""Do trials on a Ray cluster survive the loss of a node? Nodes in this machine, one killed on the way.

    python benchmarks/ray_engine.py [--nodes N] [--pairs P]

Starts a cluster of some nodes (needs `goldsplit[ray]`), runs `goldsplit ab`'s trials of a planted 1.3x on it
and kills a node in the middle. Prints how many trials there are, how many were made twice, and where each
block ran; exits with 1 if a trial is missing, failed, or a block ran on two nodes. All nodes share one
machine here, so the speeds are no measure.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import threading
from collections import Counter
from pathlib import Path
from typing import Any

from goldsplit.experiment.carry_out import Progress, carry_out
from goldsplit.experiment.engines.ray_engine import RayEngine
from goldsplit.experiment.trials import Experiment
from goldsplit.model.experiment.design import Plan, Variant

HERE = Path(__file__).resolve().parent


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--nodes", type=int, default=3)
    parser.add_argument("--pairs", type=int, default=6)
    options = parser.parse_args()
    from ray.cluster_utils import Cluster

    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False})
    nodes = [cluster.add_node(num_cpus=1) for _ in range(options.nodes)]
    try:
        return carried(cluster, nodes, options.pairs)
    finally:
        cluster.shutdown()


def carried(cluster: Any, nodes: list[Any], pairs: int) -> int:
    """The experiment, and what became of its trials."""
    command = (sys.executable, str(HERE / "programs" / "ab_loop.py"), "20000", "{seed}")
    variants = (Variant("base", {"WORK": "1300"}), Variant("faster", {"WORK": "1000"}))
    plan = Plan("ray", command, variants, pairs=pairs)
    begun: list[int] = []

    def before(progress: Progress) -> None:
        begun.append(progress.block)
        if len(begun) == pairs:
            threading.Thread(target=cluster.remove_node, args=(nodes[0], False)).start()

    engine = RayEngine(cluster.address)
    with tempfile.TemporaryDirectory() as folder:
        with Experiment(plan, Path(folder) / "ray", here=HERE, engine=engine) as experiment:
            carry_out(experiment, before, lambda _: None)
        engine.close()
    trials = experiment.trials
    ran_on = {block: {t.node for t in trials if t.block == block} for block in range(pairs)}
    print(f"nodes {len(nodes)}, lost on the way {len(engine.lost)}")
    print(f"trials wanted {2 * pairs}, there {len(trials)}, begun {len(begun)}")
    print(f"blocks on each node: {dict(Counter(next(iter(where)) for where in ran_on.values() if where))}")
    whole = len(trials) == 2 * pairs and all(trial.complete for trial in trials)
    return 0 if whole and len(engine.lost) == 1 and all(len(one) == 1 for one in ran_on.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
