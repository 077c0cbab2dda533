import os
from collections import deque
from stable_baselines3.common.callbacks import BaseCallback


class SiegStatistik(BaseCallback):
    def __init__(self, uhr, fenster=60):
        super().__init__()
        self.uhr = uhr
        self.letzte = deque(maxlen=fenster)
        self.dauer = deque(maxlen=fenster)
        self.partien = 0
        self.schritte = 0

    def _on_step(self):
        self.schritte += self.training_env.num_envs
        for done, info in zip(self.locals["dones"], self.locals["infos"]):
            if done:
                self.partien += 1
                self.letzte.append(info["sieger"])
                self.dauer.append(info["runden"])
        return True

    def _on_rollout_end(self):
        self.uhr.rein("log")
        if self.letzte:
            n = len(self.letzte)
            quote = sum(s == 0 for s in self.letzte) / n
            ret = [e["r"] for e in self.model.ep_info_buffer]
            self.logger.record("hex/siegquote", quote)
            self.logger.record("hex/runden", sum(self.dauer) / n)
            self.logger.record("hex/return", sum(ret) / max(1, len(ret)))
            print(f"{self.num_timesteps:7d} Schritte | {self.partien:4d} Partien | Siege {quote:5.1%} | "
                  f"Return {sum(ret) / max(1, len(ret)):+.2f}", flush=True)
        self.logger.dump(self.num_timesteps)
        self.uhr.raus()


class Sicherung(BaseCallback):
    def __init__(self, uhr, ordner, alle=4):
        super().__init__()
        self.uhr, self.ordner, self.alle = uhr, ordner, alle
        self.n = 0
        os.makedirs(ordner, exist_ok=True)

    def _on_step(self):
        return True

    def _on_rollout_end(self):
        self.n += 1
        if self.n % self.alle == 0:
            self.uhr.rein("checkpoint")
            self.model.policy.save(os.path.join(self.ordner, "hexkrieg_policy.pt"))
            self.uhr.raus()


class LernUhr(BaseCallback):
    """Muss der letzte in der Liste sein: zwischen Rollout-Ende und naechstem Anfang ist train()."""

    def __init__(self, uhr):
        super().__init__()
        self.uhr = uhr
        self.offen = False

    def _on_step(self):
        return True

    def _zu(self):
        if self.offen:
            self.uhr.raus()
            self.offen = False

    def _on_rollout_start(self):
        self._zu()
        if self.uhr.beginn is None:
            self.uhr.start()

    def _on_rollout_end(self):
        self.uhr.rein("learn.update")
        self.offen = True

    def _on_training_end(self):
        self._zu()
