# -*- coding: utf-8 -*-
"""Threads ajudantes: o escriba grava o CSV, o locutor narra de tempos em tempos."""
import csv
import queue
import threading
import time


class Escriba(threading.Thread):
    def __init__(self, arquivo):
        super().__init__(daemon=True, name="escriba")
        self.fila = queue.Queue()
        self.arquivo = arquivo
        self.ultimo = {}

    def anota(self, **linha):
        self.fila.put(linha)

    def run(self):
        with open(self.arquivo, "w", newline="") as f:
            w = None
            while True:
                linha = self.fila.get()
                if linha is None:
                    break
                if w is None:
                    w = csv.DictWriter(f, fieldnames=list(linha))
                    w.writeheader()
                w.writerow(linha)
                f.flush()
                self.ultimo = linha

    def fecha(self):
        self.fila.put(None)
        self.join()


class Locutor(threading.Thread):
    def __init__(self, escriba, cada=2.0):
        super().__init__(daemon=True, name="locutor")
        self.escriba = escriba
        self.cada = cada
        self.acabou = threading.Event()
        self.inicio = time.time()

    def run(self):
        while not self.acabou.wait(self.cada):
            u = self.escriba.ultimo
            print("%5.1fs  " % (time.time() - self.inicio) + "  ".join(f"{k}={v}" for k, v in u.items()), flush=True)

    def fecha(self):
        self.acabou.set()
        self.join()
