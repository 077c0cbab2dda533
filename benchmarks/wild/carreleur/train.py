import json
import os
from time import perf_counter, perf_counter_ns

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.buffers import MaskableRolloutBuffer
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import SubprocVecEnv

from carrelage import Chantier

torch.set_num_threads(1)
DUREE = float(os.environ.get("WILD_SECONDS", 20))
ATTENTE = 9
OUVRIERS = 2


class Montre:
    def __init__(self):
        self.sommes, self.attentes = [0] * 10, []
        self.code = 0
        self.debut = self.t = perf_counter_ns()

    def passer(self, code):
        n = perf_counter_ns()
        avant = self.code
        if avant == ATTENTE:
            self.attentes.append((self.t, n))
        else:
            self.sommes[avant] += n - self.t
        self.t, self.code = n, code
        return avant


montre = Montre()


class Equipe(SubprocVecEnv):
    def step(self, actions):
        p = montre.passer(ATTENTE)
        r = super().step(actions)
        montre.passer(p)
        return r

    def env_method(self, nom, *a, **k):
        p = montre.passer(ATTENTE)
        r = super().env_method(nom, *a, **k)
        montre.passer(p)
        return r

    def has_attr(self, nom):
        p = montre.passer(ATTENTE)
        r = super().has_attr(nom)
        montre.passer(p)
        return r

    def reset(self):
        p = montre.passer(ATTENTE)
        r = super().reset()
        montre.passer(p)
        return r


class Registre(MaskableRolloutBuffer):
    def add(self, *a, **k):
        p = montre.passer(3)
        super().add(*a, **k)
        montre.passer(p)

    def compute_returns_and_advantage(self, *a, **k):
        p = montre.passer(4)
        super().compute_returns_and_advantage(*a, **k)
        montre.passer(p)


class Politique(MaskableActorCriticPolicy):
    def forward(self, *a, **k):
        p = montre.passer(1)
        r = super().forward(*a, **k)
        montre.passer(p)
        return r

    def predict_values(self, obs):
        p = montre.passer(2)
        r = super().predict_values(obs)
        montre.passer(p)
        return r


class Apprenti(MaskablePPO):
    pas_d_optimiseur = 0

    def train(self):
        p = montre.passer(5)
        super().train()
        self.pas_d_optimiseur += self.n_epochs * (self.n_steps * self.n_envs // self.batch_size)
        montre.passer(p)

    def dump_logs(self, iteration=0):
        p = montre.passer(6)
        super().dump_logs(iteration)
        montre.passer(p)


class Surveillant(BaseCallback):
    def __init__(self):
        super().__init__()
        self.heures = [[] for _ in range(OUVRIERS)]
        self.parties, self.gains, self.stop = 0, [], False

    def _on_training_start(self):
        self.fin = perf_counter() + DUREE

    def _on_rollout_start(self):
        self.stop = perf_counter() >= self.fin

    def _on_step(self):
        for i, info in enumerate(self.locals["infos"]):
            self.heures[i] += info["heures"]
            if "episode" in info:
                self.parties += 1
                self.gains.append(info["episode"]["r"])
        return not self.stop


def bilan(modele, surv, equipe):
    montre.passer(0)
    mur = montre.t - montre.debut
    for i, reste in enumerate(equipe.env_method("solde")):
        surv.heures[i] += reste
    noms = ["other", "act", "act.value", "replay.add", "learn.returns", "learn.*", "log"]
    etapes = {n: montre.sommes[i] for i, n in enumerate(noms)}
    codes = ["env.reset", "env.mask", "env.step", "env.reward", "env.observe"]
    for c in codes + ["vec.*"]:
        etapes[c] = 0
    tete = [0] * OUVRIERS
    for a, b in montre.attentes:
        lent, fin = [], -1
        for i, h in enumerate(surv.heures):
            while tete[i] < len(h) and h[tete[i]][2] <= a:
                tete[i] += 1
            j, ici = tete[i], []
            while j < len(h) and h[j][1] < b:
                ici.append(h[j])
                j += 1
            if ici and ici[-1][2] > fin:
                lent, fin = ici, ici[-1][2]
        reste = b - a
        for c, t0, t1 in lent:
            d = min(b, t1) - max(a, t0)
            etapes[codes[c]] += d
            reste -= d
        etapes["vec.*"] += reste
    etapes = {k: v / 1e9 for k, v in etapes.items()}
    chemin = os.environ.get("WILD_TRUTH")
    if chemin:
        json.dump({"wall_seconds": mur / 1e9, "stages": etapes, "env_steps": modele.num_timesteps, "episodes": surv.parties,
                   "updates": modele.pas_d_optimiseur,
                   "note": "wall = model.learn(). The trainer's waits (VecEnv step / env_method / has_attr / reset, sending included) are laid over the "
                           "intervals of the slowest worker of that wait (the one whose last interval ends latest), sent in info; "
                           "what those do not explain (pipes, pickling, Monitor, stacking) is vec.*. learn.* = SB3 train() whole, incl. minibatch "
                           "sampling and its logger.record; act = policy.forward; act.value = predict_values at rollout end; replay.add = rollout buffer add; "
                           "env_steps counts both workers."},
                  open(chemin, "w"), indent=1)
    print(f"{mur / 1e9:.1f} s", {k: f"{v * 1e11 / mur:.1f}%" for k, v in etapes.items()})


if __name__ == "__main__":
    equipe = Equipe([lambda i=i: Monitor(Chantier(graine=i)) for i in range(OUVRIERS)], start_method="fork")
    modele = Apprenti(Politique, equipe, n_steps=128, batch_size=64, n_epochs=6, learning_rate=5e-4, gamma=.97, ent_coef=.01,
                      rollout_buffer_class=Registre, policy_kwargs={"net_arch": [128, 128]}, seed=1, device="cpu", verbose=0)
    surv = Surveillant()
    montre.__init__()
    modele.learn(10 ** 9, callback=surv)
    bilan(modele, surv, equipe)
    if surv.gains:
        print("gain moyen", np.mean(surv.gains[:30]), "->", np.mean(surv.gains[-30:]))
    equipe.close()
