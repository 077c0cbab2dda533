"""servidor.py -- el estadio. Un proceso aparte, asyncio, JSON por lineas.
   cliente:  {"s": sala, "nuevo": semilla}   |  {"s": sala, "acc": 3}
   servidor: {"s": sala, "foto": {...}, "t": [[que, desde, hasta], ...]}
Escribe su puerto en stdout y se va cuando le cierran stdin (o sea, cuando muere el entrenador)."""
import asyncio
import json
import random
import sys
import time

from bichos import Combate, rival_elige

salas = {}
azar = random.Random(99)
reloj = time.perf_counter   # en linux es CLOCK_MONOTONIC, vale entre procesos


def atiende(m):
    sala = m["s"]
    t0 = reloj()
    if "nuevo" in m:
        c = salas[sala] = Combate(m["nuevo"])
        foto = c.foto(0)
        return {"s": sala, "foto": foto, "t": [["env.reset", t0, reloj()]]}
    c = salas[sala]
    acc = m["acc"]
    if acc not in c.legales(0):
        acc = c.legales(0)[0]
    t1 = reloj()
    # si yo estoy eligiendo relevo, el rival espera
    suya = None if c.forzado(0) else rival_elige(c, 1, azar)
    t2 = reloj()
    c.juega(acc, suya)
    marcas = [["env.step", t0, t1], ["env.opponent", t1, t2]]
    if c.forzado(1):
        t3 = reloj()
        r = rival_elige(c, 1, azar)
        t4 = reloj()
        marcas += [["env.step", t2, t3], ["env.opponent", t3, t4]]
        t2 = t4
        c.juega(None, r)
    foto = c.foto(0)
    marcas.append(["env.step", t2, reloj()])
    return {"s": sala, "foto": foto, "t": marcas}


async def cliente(reader, writer):
    while True:
        linea = await reader.readline()
        if not linea:
            break
        writer.write(json.dumps(atiende(json.loads(linea))).encode() + b"\n")
        await writer.drain()
    writer.close()


async def main():
    srv = await asyncio.start_server(cliente, "127.0.0.1", 0, limit=1 << 20)
    print(srv.sockets[0].getsockname()[1], flush=True)
    # esperar a que el padre cierre la tuberia
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    srv.close()

if __name__ == "__main__":
    try:
        asyncio.run(main())
    except KeyboardInterrupt:
        pass
