import os, json, time, random
import numpy as np
import torch
import torch.nn as nn
import chasy
from chasy import zamer
from zavod import Zavod, N_DEYSTVIY
from pamyat import Pamyat

torch.set_num_threads(1)
SEKUND = float(os.environ.get('WILD_SECONDS', 20))
UCHIT_KAZHDYE = 2
PAKET = 64
CEL_KAZHDYE = 250
PROVERKA_KAZHDYE = 10      # igr

class Pisatel:
    """kak SummaryWriter, tolko v csv (tensorboard ne stavitsya na moy noutbuk)"""

    def __init__(self, papka):
        os.makedirs(papka, exist_ok=True)
        self.papka = papka
        self.t0 = time.time()

    @zamer('log')
    def add_scalar(self, teg, znachenie, shag):
        with open(os.path.join(self.papka, teg.replace('/', '_') + '.csv'), 'a') as f:
            f.write('%.3f,%d,%.6f\n' % (time.time() - self.t0, shag, znachenie))

class Set(nn.Module):
    def __init__(self, vhod):
        super().__init__()
        self.telo = nn.Sequential(nn.Linear(vhod, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU())
        self.v = nn.Linear(128, 1)
        self.a = nn.Linear(128, N_DEYSTVIY)

    def forward(self, x):
        h = self.telo(x)
        a = self.a(h)
        return self.v(h) + a - a.mean(1, keepdim=True)

class Upravlyayushchiy:
    def __init__(self, vhod):
        self.set = Set(vhod)
        self.cel = Set(vhod)
        self.cel.load_state_dict(self.set.state_dict())
        self.opt = torch.optim.Adam(self.set.parameters(), lr=3e-4)
        self.obnovleniy = 0

    @zamer('act')
    def reshit(self, s, maska, eps):
        if random.random() < eps:
            return int(random.choice(np.flatnonzero(maska)))
        with torch.no_grad():
            q = self.set(torch.as_tensor(s).unsqueeze(0))[0].numpy()
        return int(np.where(maska, q, -1e9).argmax())

    @zamer('learn.update')
    def uchit(self, w, kuski):
        s, a, r, s2, m2, konec, g = [torch.as_tensor(k) for k in kuski]
        r, g = r.float(), g.float()
        with torch.no_grad():
            luchshee = self.set(s2).masked_fill(~m2, -1e9).argmax(1, keepdim=True)
            y = r + g * (~konec).float() * self.cel(s2).gather(1, luchshee)[:, 0]
        q = self.set(s).gather(1, a[:, None])[:, 0]
        oshibka = y - q
        poterya = (torch.as_tensor(w) * nn.functional.smooth_l1_loss(q, y, reduction='none')).mean()
        self.opt.zero_grad()
        poterya.backward()
        norma = nn.utils.clip_grad_norm_(self.set.parameters(), 10.0)
        self.opt.step()
        self.obnovleniy += 1
        if self.obnovleniy % CEL_KAZHDYE == 0:
            self.cel.load_state_dict(self.set.state_dict())
        return poterya.item(), q.mean().item(), float(norma), oshibka.detach().numpy()

@zamer('env.step')
def zapustit(zhizn):
    return next(zhizn)

@zamer('env.step')
def otvetit(zhizn, d):
    return zhizn.send(d)

@zamer('eval')
def proverka(uprav):
    chasy.tishina = True
    z = Zavod()
    zhizn = z.zhizn()
    v = next(zhizn)
    while not v.konec:
        v = zhizn.send(uprav.reshit(z.snimok(v), z.mozhno(), 0.0))
    chasy.tishina = False
    return z.kapital()

@zamer('checkpoint')
def sohranit(uprav):
    torch.save({'set': uprav.set.state_dict(), 'opt': uprav.opt.state_dict()}, 'upravlyayushchiy.pt')

def main():
    random.seed(11); np.random.seed(11); torch.manual_seed(11)
    proba = Zavod()
    vhod = len(proba.snimok(next(proba.zhizn())))
    uprav = Upravlyayushchiy(vhod)
    pamyat = Pamyat()
    pisatel = Pisatel('zhurnal/' + time.strftime('%m%d_%H%M%S'))
    resheniy = igr = 0
    chasy.itogo.clear()
    start = time.perf_counter()
    stop = False
    while not stop:
        z = Zavod()
        zhizn = z.zhizn()
        vopros = zapustit(zhizn)
        s, maska = z.snimok(vopros), z.mozhno()
        summa = 0.0
        while not vopros.konec:
            eps = max(0.05, 1.0 - resheniy / 3000)
            d = uprav.reshit(s, maska, eps)
            vopros = otvetit(zhizn, d)
            resheniy += 1
            r = z.poschitat_nagradu()
            s2, maska2 = z.snimok(vopros), z.mozhno()
            pamyat.dobavit(s, d, r, s2, maska2, vopros.konec)
            s, maska = s2, maska2
            summa += r
            if len(pamyat.opyt) > 300 and resheniy % UCHIT_KAZHDYE == 0:
                nomera, w, kuski = pamyat.vybrat(PAKET)
                poterya, q, norma, oshibki = uprav.uchit(w, kuski)
                pamyat.obnovit(nomera, oshibki)
                pisatel.add_scalar('train/loss', poterya, uprav.obnovleniy)
                pisatel.add_scalar('train/q_srednee', q, uprav.obnovleniy)
                pisatel.add_scalar('train/norma_grad', norma, uprav.obnovleniy)
                pisatel.add_scalar('train/eps', eps, uprav.obnovleniy)
            stop = time.perf_counter() - start > SEKUND
            if stop:
                break
        if not vopros.konec:
            break
        igr += 1
        pisatel.add_scalar('igra/nagrada', summa, igr)
        pisatel.add_scalar('igra/dengi', z.dengi, igr)
        pisatel.add_scalar('igra/den', z.tik_nomer / 144, igr)
        print('igra %d: nagrada %.1f, dengi %.0f, den %.0f, stankov %d, eps %.2f' % (
            igr, summa, z.dengi, z.tik_nomer / 144, len(z.stanki), eps))
        if igr % PROVERKA_KAZHDYE == 0:
            k = proverka(uprav)
            pisatel.add_scalar('proverka/kapital', k, igr)
            print('    proverka: kapital %.0f' % k)
            sohranit(uprav)
    vsego = time.perf_counter() - start
    etapy = dict(chasy.itogo)
    etapy['other'] = vsego - sum(etapy.values())
    if 'WILD_TRUTH' in os.environ:
        json.dump({'wall_seconds': vsego, 'stages': etapy, 'env_steps': resheniy, 'episodes': igr,
                   'updates': uprav.obnovleniy}, open(os.environ['WILD_TRUTH'], 'w'))

main()
