# Shina sobytiy: sistemy ne znayut drug o druge, tolko o sobytiyakh
from collections import defaultdict


class ShinaSobytiy:
    def __init__(self):
        self.podpischiki = defaultdict(list)
        self.ochered = []

    def podpisat(self, tip, funktsiya):
        self.podpischiki[tip].append(funktsiya)

    def otpravit(self, tip, **dannye):
        self.ochered.append((tip, dannye))

    def razoslat(self):
        """Razoslat vsyo, chto nakopilos (obrabotchiki mogut dobavlyat novoe)"""
        while self.ochered:
            pachka, self.ochered = self.ochered, []
            for tip, dannye in pachka:
                for f in self.podpischiki[tip]:
                    f(**dannye)
