"""MaskablePPO sur l'Ost aux dés, deux processus."""
import csv
import json
import os
import time
from collections import defaultdict

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.buffers import MaskableRolloutBuffer
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.callbacks import BaseCallback, CallbackList
from stable_baselines3.common.logger import Logger, configure
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import SubprocVecEnv

from ost import OstEnv

SECONDES = float(os.environ.get("WILD_SECONDS", "20"))
VERITE = os.environ.get("WILD_TRUTH", "verite.json")
DOSSIER = os.path.dirname(os.path.abspath(__file__))
N_ENVS = 2


class TempsEcoule(Exception):
    pass


class Horloge:
    """Étages du processus principal, exclusifs. Les attentes de vec sont gardées à part, on les répartit à la fin."""

    def __init__(self):
        self.t = defaultdict(float)
        self.pile = ["other"]
        self.marche = False
        self.attentes = []
        self.bandes = [[] for _ in range(N_ENVS)]

    def partir(self):
        self.marche = True
        self.debut = self.m = time.perf_counter()

    def entrer(self, nom):
        if self.marche:
            m = time.perf_counter()
            self.t[self.pile[-1]] += m - self.m
            self.pile.append(nom)
            self.m = m

    def sortir(self):
        if self.marche:
            m = time.perf_counter()
            nom = self.pile.pop()
            self.t[nom] += m - self.m
            if nom == "vec.wait":
                self.attentes.append((self.m, m))
            self.m = m

    def arreter(self):
        m = time.perf_counter()
        self.t[self.pile[-1]] += m - self.m
        self.marche = False
        return m - self.debut

    def repartir(self):
        """Chaque attente va aux étages de l'ouvrier qui finit le dernier ; puis à l'autre ; le reste est vec.wait."""
        curseur = [0] * N_ENVS
        for a, b in self.attentes:
            morceaux = []
            for w in range(N_ENVS):
                bw, i = self.bandes[w], curseur[w]
                while i < len(bw) and bw[i][2] <= a:
                    i += 1
                curseur[w] = i
                mien = []
                while i < len(bw) and bw[i][1] < b:
                    mien.append((bw[i][0], max(a, bw[i][1]), min(b, bw[i][2])))
                    i += 1
                morceaux.append(mien)
            morceaux.sort(key=lambda l: l[-1][2] if l else 0.0, reverse=True)
            premier, second = morceaux
            for etage, x, y in premier:
                self.t[etage] += y - x
                self.t["vec.wait"] -= y - x
            for etage, x, y in second:
                libre = y - x - sum(max(0.0, min(y, v) - max(x, u)) for _, u, v in premier)
                self.t[etage] += libre
                self.t["vec.wait"] -= libre


H = Horloge()


# --------------------------------------------------------------------------- les enveloppes
class SubprocMinute(SubprocVecEnv):
    def step_async(self, actions):
        H.entrer("vec.send")
        super().step_async(actions)
        H.sortir()

    def step_wait(self):
        H.entrer("vec.wait")
        r = super().step_wait()
        H.sortir()
        for i, info in enumerate(r[3]):
            H.bandes[i].extend(info.pop("bandes", ()))
        return r

    def env_method(self, *args, **kw):       # les masques passent par ici
        H.entrer("vec.wait")
        try:
            return super().env_method(*args, **kw)
        finally:
            H.sortir()


class Tampon(MaskableRolloutBuffer):
    def add(self, *args, **kw):
        H.entrer("replay.add")
        super().add(*args, **kw)
        H.sortir()

    def compute_returns_and_advantage(self, *args, **kw):
        H.entrer("learn.returns")
        super().compute_returns_and_advantage(*args, **kw)
        H.sortir()

    def _get_samples(self, *args, **kw):
        H.entrer("replay.sample")
        r = super()._get_samples(*args, **kw)
        H.sortir()
        return r


class Politique(MaskableActorCriticPolicy):
    def forward(self, *args, **kw):
        H.entrer("act")
        r = super().forward(*args, **kw)
        H.sortir()
        return r

    def predict_values(self, obs):
        H.entrer("act.value")
        r = super().predict_values(obs)
        H.sortir()
        return r


class AdamCompte(torch.optim.Adam):
    pas = 0

    def step(self, *args, **kw):
        AdamCompte.pas += 1
        return super().step(*args, **kw)


class PPOMinute(MaskablePPO):
    def train(self):
        H.entrer("learn.update")
        super().train()
        H.sortir()
        if time.perf_counter() - H.debut >= SECONDES:
            raise TempsEcoule


class LoggerMinute(Logger):
    def dump(self, step=0):
        H.entrer("log")
        super().dump(step)
        H.sortir()


# --------------------------------------------------------------------------- callbacks
class Depart(BaseCallback):
    def _on_training_start(self):
        H.partir()

    def _on_step(self):
        return True


class Carnet(BaseCallback):
    """Une ligne par partie finie."""

    def __init__(self):
        super().__init__()
        self.f = open(os.path.join(DOSSIER, "parties.csv"), "w", newline="")
        self.w = csv.writer(self.f)
        self.gagnees = []

    def _on_step(self):
        for i, info in enumerate(self.locals["infos"]):
            if "episode" in info:
                H.entrer("log")
                self.gagnees.append(info["episode"]["r"] > 0)
                self.w.writerow([self.num_timesteps, i, info["episode"]["r"], info["episode"]["l"]])
                self.f.flush()
                H.sortir()
        return True


class Examen(BaseCallback):
    """Toutes les k collectes, quelques parties dans ce processus (tout compte en eval), puis sauvegarde."""

    def __init__(self, tous=6, parties=2):
        super().__init__()
        self.env = OstEnv(777)
        self.tous, self.parties, self.k = tous, parties, 0

    def _on_step(self):
        return True

    def _on_rollout_end(self):
        self.k += 1
        if self.k % self.tous:
            return
        H.entrer("eval")
        total = 0.0
        for _ in range(self.parties):
            obs, _ = self.env.reset()
            fin = False
            while not fin:
                a, _ = self.model.predict(obs, action_masks=self.env.action_masks(), deterministic=True)
                obs, r, fin, _, _ = self.env.step(a)
                total += r
        H.sortir()
        print(f"examen à {self.num_timesteps} pas : {total / self.parties:+.2f}", flush=True)
        H.entrer("checkpoint")
        self.model.save(os.path.join(DOSSIER, "ost_dernier"))
        H.sortir()


def fabrique(graine):
    def _init():
        torch.set_num_threads(1)
        return Monitor(OstEnv(graine))
    return _init


def main():
    torch.set_num_threads(1)
    envs = SubprocMinute([fabrique(100 + i) for i in range(N_ENVS)])
    modele = PPOMinute(Politique, envs, n_steps=128, batch_size=64, n_epochs=4, learning_rate=4e-4, gamma=0.99,
                       ent_coef=0.01, rollout_buffer_class=Tampon, seed=1, device="cpu",
                       policy_kwargs=dict(net_arch=[128, 128], optimizer_class=AdamCompte))
    base = configure(DOSSIER, ["csv"])
    modele.set_logger(LoggerMinute(base.dir, base.output_formats))
    carnet = Carnet()
    try:
        modele.learn(10**8, callback=CallbackList([Depart(), carnet, Examen()]), log_interval=1)
    except TempsEcoule:
        pass
    mur = H.arreter()
    pas = sum(envs.get_attr("n_pas"))
    finies = sum(envs.get_attr("n_finies"))
    H.repartir()
    envs.close()
    carnet.f.close()
    with open(VERITE, "w") as f:
        json.dump({"wall_seconds": mur, "stages": dict(H.t), "env_steps": pas, "episodes": finies,
                   "updates": AdamCompte.pas}, f, indent=1)
    print(f"{pas} pas (sb3 dit {modele.num_timesteps}), {finies} parties, {AdamCompte.pas} pas d'Adam, "
          f"gagnées {np.mean(carnet.gagnees[:20]):.0%} -> {np.mean(carnet.gagnees[-20:]):.0%}")
    for k, s in sorted(H.t.items(), key=lambda x: -x[1]):
        print(f"  {k:14s} {s:7.3f}  {100 * s / mur:5.1f} %")


if __name__ == "__main__":
    main()
