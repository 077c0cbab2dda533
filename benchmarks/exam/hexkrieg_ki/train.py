"""Hexkrieg - PPO lernt gegen eine einfache KI um drei Staedte zu kaempfen."""
import json
import os
import sys

HIER = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HIER)

import torch
from stable_baselines3 import PPO
from stable_baselines3.common.callbacks import CallbackList
from stable_baselines3.common.logger import configure
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import SubprocVecEnv, VecEnvWrapper

from callbacks import SiegStatistik, Sicherung, LernUhr
from stoppuhr import Stoppuhr
from umgebung import HexKriegEnv

SEKUNDEN = float(os.environ.get("WILD_SECONDS", 20))
N_ENVS = 2
N_STEPS = 192
BATCH = 64
EPOCHEN = 4


def macher(i):
    def _f():
        torch.set_num_threads(1)
        return Monitor(HexKriegEnv(saat=1000 + i, patzer=0.55))
    return _f


class UhrVecEnv(VecEnvWrapper):
    """Misst Senden und Warten, sonst nichts."""

    def __init__(self, venv, uhr):
        super().__init__(venv)
        self.uhr = uhr

    def reset(self):
        return self.venv.reset()

    def step_async(self, actions):
        self.uhr.rein("vec.send")
        self.venv.step_async(actions)
        self.uhr.raus()

    def step_wait(self):
        a = self.uhr.rein("vec.wait")
        ergebnis = self.venv.step_wait()
        b = self.uhr.raus()
        self.uhr.warten_aufteilen(a, b, [info.pop("marken") for info in ergebnis[3]])
        return ergebnis


def main():
    torch.set_num_threads(1)
    uhr = Stoppuhr()
    env = UhrVecEnv(SubprocVecEnv([macher(i) for i in range(N_ENVS)]), uhr)
    model = PPO("MlpPolicy", env, n_steps=N_STEPS, batch_size=BATCH, n_epochs=EPOCHEN, learning_rate=5e-4,
                gamma=0.98, gae_lambda=0.93, ent_coef=0.01, seed=7, device="cpu",
                policy_kwargs=dict(net_arch=[128, 96]))
    model.set_logger(configure(os.path.join(HIER, "modelle"), ["csv"]))
    # Uhren an die Teile von PPO haengen
    uhr.umwickeln(model.policy, "forward", "act")
    uhr.umwickeln(model.policy, "predict_values", "act.value")
    uhr.umwickeln(model.rollout_buffer, "add", "replay.add")
    uhr.umwickeln(model.rollout_buffer, "compute_returns_and_advantage", "learn.returns")

    statistik = SiegStatistik(uhr)
    rueckrufe = CallbackList([statistik, Sicherung(uhr, os.path.join(HIER, "modelle")), LernUhr(uhr)])
    while uhr.zeit() < SEKUNDEN:
        model.learn(total_timesteps=N_STEPS * N_ENVS, callback=rueckrufe, log_interval=None,
                    reset_num_timesteps=False)
    gesamt = uhr.stop()

    stufen = {k: round(v, 6) for k, v in uhr.konto.items()}
    wahrheit = {"wall_seconds": gesamt, "stages": stufen, "env_steps": statistik.schritte,
                "episodes": statistik.partien, "updates": model._n_updates * (N_STEPS * N_ENVS // BATCH)}
    for k, v in sorted(stufen.items(), key=lambda kv: -kv[1]):
        print(f"  {k:15s} {v:7.2f}s {v / gesamt:6.1%}")
    print("gesamt", round(gesamt, 2), "Summe", round(sum(stufen.values()), 2), {k: wahrheit[k] for k in ("env_steps", "episodes", "updates")})
    if os.environ.get("WILD_TRUTH"):
        with open(os.environ["WILD_TRUTH"], "w") as f:
            json.dump(wahrheit, f)
    env.close()


if __name__ == "__main__":
    main()
