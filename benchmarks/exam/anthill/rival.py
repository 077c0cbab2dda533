from maps import SIDE
from world import FIGHT, GATHER


class RedQueen:
    """The red colony. Thinks every tick, by rules of thumb."""

    def __init__(self, temper):
        self.temper = temper          # how soon she goes to war

    def whisper(self, world):
        mine = [a for a in world.ants if a.side == 1]
        foes = [a for a in world.ants if a.side == 0]
        workers = sum(1 for a in mine if a.job == GATHER)
        fighters = [a for a in mine if a.job == FIGHT]
        if workers < 7:
            world.lay(1, GATHER)
        elif len(fighters) < 14:
            world.lay(1, FIGHT)
        war = len(fighters) > self.temper
        mad = world.nest_hp[1] < 35
        for a in fighters:
            r, c = divmod(a.cell, SIDE)
            close, gap = None, 7
            for f in foes:
                fr, fc = divmod(f.cell, SIDE)
                d = abs(fr - r) + abs(fc - c)
                if d < gap:
                    close, gap = f, d
            if mad and not close:
                a.field = world.way_home[1]
            elif close is not None and gap > 1:
                # chase: whichever known road ends nearest to the prey
                fr, fc = divmod(close.cell, SIDE)
                a.field = world.way_to_sector(min(2, fr // 8) * 3 + min(2, fc // 8))
            elif war:
                a.field = world.way_home[0]
            else:
                a.field = world.way_home[1]
