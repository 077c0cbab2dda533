"""The graphed learner against plain torch and plain SB3, on a GPU, as ratios.

python benchmarks/gpu_learner.py                            everything: some minutes
python benchmarks/gpu_learner.py updates replay             some parts (see --help)
python benchmarks/gpu_learner.py --quick                    few rounds, to see whether it runs
python benchmarks/gpu_learner.py --markdown docs/gpu.md     writes the table into the page, too
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch

import gpu_learner_sb3
from goldsplit.fast.learner import GraphedPolicy, GraphedUpdate, sample_masked
from goldsplit.fast.replay import Field, Prefetcher, PrioritizedReplay, UniformReplay
from goldsplit.fast.replay.device import DevicePrioritizedReplay, DeviceReplay
from gpu_learner_cases import ACTIONS, BATCH, OBS, DqnCase, PpoCase, network, variants

BEGIN, END = "<!-- figures: begin -->", "<!-- figures: end -->"
Rows = list[tuple[str, str, str, str, str]]


def interleaved(found: Mapping[str, Callable[[], Any]], rounds: int, inner: int) -> dict[str, list[float]]:
    """Microseconds per call of each variant, one figure per round; the device is done when a clock stops."""
    times: dict[str, list[float]] = {name: [] for name in found}
    if not torch.cuda.is_available():
        rounds, inner = 1, 2
    for run in found.values():
        for _ in range(3):
            run()
    for turn in range(rounds):
        names = list(found) if turn % 2 else list(found)[::-1]
        for name in names:
            _finish()
            start = time.perf_counter()
            for _ in range(inner):
                found[name]()
            _finish()
            times[name].append((time.perf_counter() - start) / inner * 1e6)
    return times


def _finish() -> None:
    if torch.cuda.is_available():
        torch.cuda.synchronize()


def compared(title: str, times: Mapping[str, list[float]], first: str, bar: Mapping[str, float]) -> Rows:
    """One row per variant: its time, and how many times faster than `first` it is, round by round."""
    rows: Rows = []
    for name, values in times.items():
        ratios = sorted(a / b for a, b in zip(times[first], values, strict=True))
        low, high = ratios[len(ratios) // 4], ratios[-1 - len(ratios) // 4]
        median = statistics.median(ratios)
        wanted = bar.get(name) if torch.cuda.is_available() else None
        judged = (
            ""
            if wanted is None or not torch.cuda.is_available()
            else f"{wanted:g}x: {'met' if median >= wanted else 'MISSED'}"
        )
        rows.append(
            (
                title,
                name,
                f"{statistics.median(values):.0f} us",
                f"{median:.2f}x [{low:.2f}-{high:.2f}]",
                judged,
            )
        )
    return rows


def updates(device: str, quick: bool) -> Rows:
    rounds, inner = (3, 20) if quick else (15, 100)
    rows: Rows = []
    for title, case, bar in (("DQN update", DqnCase, 7.0), ("masked PPO minibatch", PpoCase, 4.0)):
        found = variants(case, device, compiled=not quick)
        rows += compared(title, interleaved(found, rounds, inner), "eager", {"graphed": bar})
    torch.set_float32_matmul_precision("high")
    for title, case in (("DQN update, TF32", DqnCase), ("masked PPO minibatch, TF32", PpoCase)):
        found = {k: v for k, v in variants(case, device, False).items() if k in ("eager", "graphed")}
        rows += compared(title, interleaved(found, rounds, inner), "eager", {})
    torch.set_float32_matmul_precision("highest")
    return rows


FIELDS = {
    "obs": Field((OBS,), np.float32),
    "next_obs": Field((OBS,), np.float32),
    "mask": Field((ACTIONS,), np.bool_),
    "action": Field((), np.int64),
    "reward": Field((), np.float32),
    "done": Field((), np.bool_),
}


def _filled(buffer: Any, capacity: int) -> Any:
    rng = np.random.default_rng(0)
    rows = 10_000
    columns = {
        "obs": rng.random((rows, OBS), np.float32),
        "next_obs": rng.random((rows, OBS), np.float32),
        "mask": rng.random((rows, ACTIONS)) < 0.5,
        "action": rng.integers(0, ACTIONS, rows),
        "reward": rng.random(rows, np.float32),
        "done": rng.random(rows) < 0.01,
    }
    for _ in range(capacity // rows):
        slots = buffer.extend(**columns)
        buffer.update_priorities(np.asarray(slots), rng.random(rows) + 0.1)
    return buffer


def replay(device: str, quick: bool) -> Rows:
    """Sample 256, compute something like TD errors on the device, update the priorities."""
    rounds, inner = (3, 20) if quick else (15, 100)
    rows: Rows = []
    for capacity in (20_000,) if quick else (100_000, 1_000_000):
        host = _filled(PrioritizedReplay(capacity, FIELDS, seed=0), capacity)
        on_device = _filled(DevicePrioritizedReplay(capacity, FIELDS, device=device, seed=0), capacity)

        def td(obs: Any, reward: Any) -> Any:
            return (obs[:, 0] - reward).abs() + 1e-6

        def by_host(buffer: Any = host) -> None:
            batch = buffer.sample(BATCH)
            moved = [torch.from_numpy(np.asarray(part)).to(device) for part in batch]
            buffer.update_priorities(batch.indices, td(moved[0], moved[4]).cpu().numpy())

        def by_device(buffer: Any = on_device) -> None:
            batch = buffer.sample(BATCH)
            buffer.update_priorities(batch.indices, td(batch.obs, batch.reward))

        def step(buffer: Any = on_device) -> Any:
            batch = buffer.draw(BATCH)
            buffer.write_priorities(batch.indices, td(batch.obs, batch.reward))
            return batch.weights

        graphed = GraphedUpdate(step, optimizers=[], device=device, generators=[on_device.generator])
        found = {
            "host buffer and copies": by_host,
            "on the device": by_device,
            "on the device, graphed": graphed,
        }
        times = interleaved(found, rounds, inner)
        rows += compared(
            f"PER at {capacity:.0e}", times, "host buffer and copies", {"on the device, graphed": 5.0}
        )
        if graphed.reason:
            print("  replay not graphed:", graphed.reason)
    return rows


def acting(device: str, quick: bool) -> Rows:
    """Masked sampling for 1 and 64 environments, arrays in, arrays out."""
    rows: Rows = []
    net = network(ACTIONS, device)
    for envs in (1, 64):
        obs, mask = np.random.rand(envs, OBS).astype(np.float32), np.ones((envs, ACTIONS), np.bool_)

        def eager(obs: Any = obs, mask: Any = mask) -> Any:
            with torch.no_grad():
                chosen, log_probs = sample_masked(
                    net(torch.as_tensor(obs, device=device)), torch.as_tensor(mask, device=device)
                )
                return chosen.cpu().numpy(), log_probs.cpu().numpy()

        act = GraphedPolicy(lambda obs, mask: sample_masked(net(obs), mask), device=device)
        found = {"eager": eager, "graphed": lambda obs=obs, mask=mask, act=act: act(obs, mask)}
        rows += compared(
            f"acting, {envs} environments", interleaved(found, 3 if quick else 15, 100), "eager", {}
        )
        if act.reason:
            print("  acting not graphed:", act.reason)
    return rows


def feeding(device: str, quick: bool) -> Rows:
    """The graphed DQN update with its batches from a buffer: copied, pinned, prefetched, on the device."""
    fields = {
        "obs": Field((OBS,), np.float32),
        "action": Field((1,), np.int64),
        "reward": Field((1,), np.float32),
        "next_obs": Field((OBS,), np.float32),
        "done": Field((1,), np.float32),
    }
    rng, size = np.random.default_rng(0), 20_000
    stored = {name: rng.integers(0, 2, (size, *f.shape)).astype(f.dtype) for name, f in fields.items()}
    host = UniformReplay(size, fields, seed=0)
    on_device = DeviceReplay(size, fields, device=device, seed=0)
    host.extend(**stored)
    on_device.extend(**stored)
    cases = [DqnCase(device) for _ in range(5)]
    fed = [GraphedUpdate(case.update, optimizers=[case.optimizer]) for case in cases[:4]]
    inside = GraphedUpdate(
        lambda: cases[4].update(*on_device.draw(BATCH)[:5]),
        optimizers=[cases[4].optimizer],
        generators=[on_device.generator],
    )
    with Prefetcher(host, BATCH, device=device) as ahead:
        found = {
            "copied field by field": lambda: fed[0](
                *[torch.from_numpy(np.asarray(part)).to(device) for part in host.sample(BATCH)[:5]]
            ),
            "pinned, in one copy": lambda: fed[1](*[np.asarray(part) for part in host.sample(BATCH)[:5]]),
            "prefetched": lambda: fed[2](*ahead.get()[:5]),
            "buffer on the device": lambda: fed[3](*on_device.sample(BATCH)[:5]),
            "buffer inside the graph": inside,
        }
        times = interleaved(found, *((3, 20) if quick else (15, 100)))
    return compared("batches for the update", times, "copied field by field", {})


PARTS = {
    "updates": updates,
    "feeding": feeding,
    "replay": replay,
    "acting": acting,
    "sb3": gpu_learner_sb3.end_to_end,
    "curves": gpu_learner_sb3.learning,
}


def as_markdown(rows: Rows, command: str, device: str) -> str:
    lines = [f"Made by `{command}` on {device}, torch {torch.__version__}.", ""]
    lines += ["| what | variant | per call | against the first [quartiles] | bar |", "|---|---|---|---|---|"]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def write_table(file: Path, table: str) -> None:
    """Between the marks of a page that has them; else as the whole file."""
    page = file.read_text() if file.exists() else ""
    if BEGIN in page and END in page:
        before, after = page.split(BEGIN)[0], page.split(END)[1]
        table = f"{before}{BEGIN}\n\n{table}\n{END}{after}"
    file.write_text(table)


def measured(part: str, device: str, quick: bool) -> Rows:
    """One part's rows, printed; a part that fails is a row that says so, and the others still run."""
    try:
        rows = PARTS[part](device, quick)
    except Exception as failure:
        traceback.print_exc()
        rows = [(part, "all", "not measured", f"{type(failure).__name__}: {failure}"[:80], "MISSED")]
    for title, name, each, ratio, judged in rows:
        figures = f"{each:>12}  {ratio:<24}{judged}" if device == "cuda" or judged else "ran"
        print(f"{title:<28}{name:<28}{figures}", flush=True)
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(PARTS)}; default: all")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="write the table there, too")
    args = parser.parse_args()
    unknown = [name for name in args.parts if name not in PARTS]
    if unknown:
        parser.error(f"no part {unknown[0]!r}\nhint: there are {', '.join(PARTS)}")
    device = "cuda" if torch.cuda.is_available() else "cpu"
    if device == "cpu":
        print("no CUDA device: nothing can be measured here; the code runs a little, to show that it works")
        torch.set_num_threads(1)
        args.quick = True
    rows: Rows = []
    for part in args.parts or list(PARTS):
        rows += measured(part, device, args.quick)
        if args.markdown and device == "cuda":  # after each part, so that a time limit loses one at most
            options = [*args.parts, *(["--quick"] if args.quick else [])]
            command = " ".join(["python benchmarks/gpu_learner.py", *options])
            write_table(args.markdown, as_markdown(rows, command, torch.cuda.get_device_name()))
    if args.markdown and device == "cpu":
        print(f"{args.markdown} was not written: there is nothing to put into it")
    sys.exit(1 if any("MISSED" in row[4] for row in rows) and device == "cuda" else 0)


if __name__ == "__main__":
    main()
