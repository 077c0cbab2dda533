import random
from gioco import Partita
from ricerca import Ricerca, pesca


def sfida(nuovo, vecchio, partite=2, simulazioni=16):
    """punti del nuovo contro il vecchio (1 vinta, 0.5 patta)"""
    punti = 0.0
    for k in range(partite):
        p = Partita()
        p.muovi(random.randrange(7))       # apertura a caso
        primo = 1 if k % 2 == 0 else -1
        teste = {primo: Ricerca(nuovo, simulazioni, rumore=False), -primo: Ricerca(vecchio, simulazioni, rumore=False)}
        while p.vincitore is None:
            p.muovi(pesca(teste[p.turno].pensa(p), 0.0))
        if p.vincitore == 0:
            punti += 0.5
        elif p.vincitore == primo:
            punti += 1
    return punti / partite
