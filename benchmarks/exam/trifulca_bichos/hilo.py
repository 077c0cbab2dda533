"""Los combates viven en un bucle asyncio en un segundo hilo."""
import asyncio
import threading
from time import perf_counter

from bichos import Combate, RivalListo


class Estadio:
    def __init__(self, cfg, n):
        self.cfg = cfg
        self.n = n
        self.rival = RivalListo()
        self.mesas = [None] * n
        self.bucle = asyncio.new_event_loop()
        self.hilo = threading.Thread(target=self._vivir, name='estadio', daemon=True)
        self.hilo.start()

    def _vivir(self):
        asyncio.set_event_loop(self.bucle)
        self.bucle.run_forever()

    def cerrar(self):
        self.bucle.call_soon_threadsafe(self.bucle.stop)
        self.hilo.join(2)

    # ---------- dentro del hilo
    async def _mesa(self, i, accion, faena):
        t0 = perf_counter()
        com = self.mesas[i]
        if com is None or com.ganador is not None or accion is None:
            self.mesas[i] = Combate(self.cfg)
            faena['env.reset'] += perf_counter() - t0
            return
        suya = self.rival.elegir(com)
        t1 = perf_counter()
        com.jugar_turno(accion, suya)
        faena['env.opponent'] += t1 - t0
        faena['env.step'] += perf_counter() - t1

    async def _ronda(self, acciones):
        # lo que ha trabajado el hilo, por partes
        faena = {'env.step': 0.0, 'env.opponent': 0.0, 'env.reset': 0.0}
        await asyncio.gather(*(self._mesa(i, a, faena) for i, a in acciones))
        return faena

    # ---------- desde el hilo principal
    def mandar(self, acciones):
        """acciones: lista de (mesa, accion); accion None = combate nuevo"""
        return asyncio.run_coroutine_threadsafe(self._ronda(acciones), self.bucle)
