"""The three parts of `end_to_end.py`: how fast, how alike the learning is, and how soon the bot is beaten."""

from __future__ import annotations

import json
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from end_to_end_table import Row, welch
from goldsplit.train.evaluation import Evaluation, evaluate
from goldsplit.train.options import PpoOptions
from goldsplit.train.ppo import Ppo
from goldsplit.train.surroundings import make_world
from goldsplit.train.training_run import Greedy

SIDES = ("plain", "fast")
SNAKE = "snake flood_fill=true"
TRAIN = (sys.executable, "-m", "goldsplit.train")
#: Enough for any trial: the plain side is ended by the clock, the fast one by its own number of steps.
ENDLESS = 1_000_000_000


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def settings(given: dict[str, Any]) -> list[str]:
    """Options as the command takes them."""
    return [part for key, value in given.items() for part in ("--set", f"{key}={value}")]


# --- speed -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SpeedCase:
    """One training in both surroundings. Trials of the plain side end after `seconds`, those of the fast side
    after `fast_steps`; `ab` compares the steps that both have made since learning began."""

    name: str
    game: str
    kind: str
    options: dict[str, Any]
    seconds: float
    fast_steps: int
    bar: float | None


#: Warm-up is short, so that both sides learn during most of the steps that are compared.
SPEED = (
    SpeedCase(
        "Skirmish-DQN", "skirmish", "dqn", {"envs": 16, "updates_per_step": 1, "warmup": 128}, 25, 60_000, 10
    ),
    SpeedCase(
        "Snake-DQN, flood fill", SNAKE, "dqn", {"envs": 256, "updates_per_step": 4, "warmup": 2_000}, 15,
        150_000, 10,
    ),
    SpeedCase(
        "Snake-DQN without flood fill", "snake", "dqn",
        {"envs": 256, "updates_per_step": 4, "warmup": 2_000}, 8, 200_000, None,
    ),
    SpeedCase("Skirmish-PPO", "skirmish", "ppo", {"envs": 8, "rollout": 32}, 25, 60_000, 3),
)  # fmt: skip


def speed(case: SpeedCase, quick: bool, folder: Path) -> Row:
    """Paired trials by `goldsplit ab`, and what they say."""
    pairs = 2 if quick else 6
    name = re.sub(r"\W+", "-", case.name.lower())
    conclusion = folder / f"{name}.json"
    command = [sys.executable, "-m", "goldsplit", "ab", "--name", name, "--pairs", str(pairs)]
    command += ["--duration", str(case.seconds), "--json", str(conclusion)]
    command += ["--experiments", str(folder / "experiments")]
    command += ["--variant", f"fast:args=--surroundings fast --steps {case.fast_steps}", "--"]
    command += [*TRAIN, case.kind, "--game", case.game, *settings(case.options), "--set", "evaluate_games=0"]
    command += ["--set", "surroundings=plain", "--steps", str(ENDLESS), "--seed", "{seed}", "--quiet"]
    say(f"{case.name}: {pairs} pairs of trials …")
    done = subprocess.run(command, stdout=subprocess.DEVNULL)
    if done.returncode not in (0, 1, 3):
        raise SystemExit(f"goldsplit ab failed with exit code {done.returncode}\nhint: see above")
    trials = (folder / "experiments" / name / "trials.jsonl").read_text().splitlines()
    check_learning([json.loads(line) for line in trials], case.name)
    return speed_row(case, json.loads(conclusion.read_text()))


def check_learning(trials: Sequence[dict[str, Any]], name: str) -> None:
    """Whether what is compared is learning: `ab` leaves the steps before the first update out only where they
    are at most half of a trial."""
    for trial in trials:
        made = trial["curve"][-1][1] if trial["curve"] else 0
        if trial["status"] != "complete" or not made or trial["learning_from_steps"] > made / 2:
            raise SystemExit(
                f"{name}, {trial['variant']}: {made or 0:.0f} steps, of which "
                f"{trial['learning_from_steps']:.0f} came before learning: nothing to compare "
                f"{trial['problem']}\nhint: let trials last longer, or the warm-up be shorter"
            )


def speed_row(case: SpeedCase, conclusion: dict[str, Any]) -> Row:
    """A bar is held if the interval is above it; with too few pairs for an interval, if the gain is."""
    effect = conclusion["judged"][0]["effect"]
    gain, low, high = effect["gain"], effect["low"], effect["high"]
    between = f" ({low:.3g}-{high:.3g})" if low is not None else ""
    return Row(
        f"{case.name}: env steps/s",
        f"{effect['base_value']:,.0f}",
        f"{effect['value']:,.0f}",
        f"{gain:.3g}x{between}",
        f"{case.bar:g}x" if case.bar else "",
        (low if low is not None else gain) >= case.bar if case.bar else None,
        {"ratio": gain, "low": low, "high": high, "ratios": effect["ratios"]},
    )


# --- learning curves -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class CurveCase:
    """The same training with several seeds a side, judged by its evaluation at the end."""

    name: str
    game: str
    figure: str
    steps: int
    options: dict[str, Any]


CURVES = (
    CurveCase(
        "Skirmish-DQN", "skirmish", "win_rate", 15_000,
        {"envs": 16, "updates_per_step": 2, "warmup": 1_000, "epsilon_steps": 8_000},
    ),
    CurveCase(
        "Snake-DQN", SNAKE, "mean_return", 40_000,
        {"envs": 64, "updates_per_step": 4, "warmup": 2_000, "epsilon_steps": 20_000,
         "learning_rate": 1e-3},
    ),
)  # fmt: skip


def curve(case: CurveCase, quick: bool) -> Row:
    """Both sides after as many steps, two trainings at once; beside them agents that have learned nothing."""
    seeds = range(1, 3 if quick else 6)
    case = replace(case, steps=case.steps // 4) if quick else case
    steps = case.steps
    asked = [("fast", 1, seed) for seed in seeds] + [(side, steps, seed) for side in SIDES for seed in seeds]
    say(f"{case.name}: {len(seeds)} trainings a side, {steps:,} steps each …")
    with ThreadPoolExecutor(2) as pool:
        figures = list(pool.map(lambda one: trained(case, *one), asked))
    untrained, plain, fast = (figures[k * len(seeds) : (k + 1) * len(seeds)] for k in range(3))
    return curve_row(case, untrained, plain, fast)


def trained(case: CurveCase, side: str, steps: int, seed: int) -> float:
    """The figure of one training's last evaluation."""
    command = [*TRAIN, "dqn", "--game", case.game, "--surroundings", side, "--steps", str(steps)]
    command += [*settings(case.options), "--set", "evaluate_games=400", "--seed", str(seed)]
    done = subprocess.run([*command, "--json", "--quiet"], stdout=subprocess.PIPE, check=True, text=True)
    value = float(json.loads(done.stdout)["evaluation"][case.figure])
    say(f"  {case.name}, {side}, seed {seed}, {steps:,} steps: {value:.3g}")
    return value


def curve_row(
    case: CurveCase, untrained: Sequence[float], plain: Sequence[float], fast: Sequence[float]
) -> Row:
    """Equal learning is shown only where something was learned: agents that know nothing are equal, too."""
    difference = welch(plain, fast)
    learned = all(welch(untrained, side).low > 0.0 for side in (plain, fast))
    before = statistics.fmean(untrained)
    return Row(
        f"{case.name}: {case.figure.replace('_', ' ')} after {case.steps:,} steps (untrained {before:.3g})",
        f"{statistics.fmean(plain):.3g}",
        f"{statistics.fmean(fast):.3g}",
        f"{difference}" + ("" if learned else ", but nothing was learned"),
        "interval holds 0",
        difference.holds_zero and learned,
        {"untrained": list(untrained), "plain": list(plain), "fast": list(fast), **difference._asdict()},
    )


# --- the bot ---------------------------------------------------------------------------------------------

WANTED_WINS = 0.70
BOT_OPTIONS = PpoOptions(
    game="skirmish", steps=4_000_000, envs=64, rollout=64, learning_rate=1e-3, entropy=0.005, evaluate_games=0
)
#: Games of a look on the way, and of the one that counts, with other seeds.
LOOK_GAMES, PROOF_GAMES = 400, 2_000
SECONDS_BETWEEN_LOOKS = 10.0


@dataclass(frozen=True, slots=True)
class BotRun:
    """What an agent came to: all time counts, looks at it too."""

    seconds: float
    steps: int
    proof: Evaluation

    @property
    def beats_the_bot(self) -> bool:
        return self.proof.win_interval is not None and self.proof.win_interval[0] >= WANTED_WINS

    def __str__(self) -> str:
        low, high = self.proof.win_interval or (0.0, 0.0)
        wins = f"{self.proof.win_rate:.0%} ({low:.0%}-{high:.0%})"
        return f"{wins} after {self.seconds:.0f} s, {self.steps:,} steps"


def play_the_bot(side: str, budget_seconds: float) -> BotRun:
    """Train until the bot is beaten for certain, or until time or steps leave no room for another rollout."""
    began = time.perf_counter()
    options = replace(BOT_OPTIONS, surroundings=side)
    trainer = Ppo(options)
    arena = make_world(replace(options, surroundings="fast"), 64)
    policy = Greedy(trainer.network, trainer.device)
    looks, next_look, longest = 0, SECONDS_BETWEEN_LOOKS, 0.0
    while True:
        begun = time.perf_counter()
        trainer.iterate()
        longest = max(longest, time.perf_counter() - begun)
        seconds = time.perf_counter() - began
        is_last = seconds + longest > budget_seconds or trainer.steps >= options.steps
        if seconds < next_look and not is_last:
            continue
        looks, next_look = looks + 1, seconds + SECONDS_BETWEEN_LOOKS
        look = evaluate(policy, arena, LOOK_GAMES, seed=looks)
        say(f"  {side}, {seconds:.0f} s, {trainer.steps:,} steps: {look}")
        if is_last or (look.win_interval and look.win_interval[0] > WANTED_WINS):
            # A good look may be luck, and there are many: only games that were not looked at count.
            proof = evaluate(policy, arena, PROOF_GAMES, seed=1_000 * looks)
            found = BotRun(time.perf_counter() - began, trainer.steps, proof)
            if is_last or found.beats_the_bot:
                trainer.world.close()
                return found


def bot(quick: bool) -> Row:
    """Both sides with the same budget, one after the other."""
    budget = 60.0 if quick else 600.0
    say(f"Skirmish against the bot: at most {budget:.0f} s a side …")
    runs = {side: play_the_bot(side, budget) for side in SIDES}
    plain, fast = runs["plain"], runs["fast"]
    return Row(
        f"Skirmish-PPO: wins against the bot within {budget / 60:g} minutes",
        str(plain),
        str(fast),
        f"{fast.steps / fast.seconds * plain.seconds / plain.steps:.3g}x the steps per second",
        f"{WANTED_WINS:.0%}",
        fast.beats_the_bot,
        {
            side: {"seconds": run.seconds, "steps": run.steps, **run.proof.as_dict()}
            for side, run in runs.items()
        },
    )
