import goldsplit
@goldsplit.stage
def think(x): 'Deep.'; return x + 1
@goldsplit.stage('game.paths')
def paths(n):
    for i in range(n): yield i
@goldsplit.stage
class Thing: kind = 1
class Game:
    @goldsplit.stage
    def move(self): return 'moved'
    @goldsplit.stage('act')
    @property
    def best(self): return 5
    @goldsplit.stage
    @classmethod
    def made(cls): return cls.__name__
print(think(1), think.__doc__, think.__name__, list(paths(3)), Thing.kind, Game().move(), Game().best, Game.made())
with goldsplit.stage('game.block') as nothing: print(nothing)
try:
    with goldsplit.stage('game.block'): raise KeyError('inside')
except KeyError as error: print(repr(error), error.__context__)
goldsplit.count('x', None); goldsplit.metric('loss', 'high'); goldsplit.metric(3, 4); goldsplit.episode(win='yes', other=[])
try: goldsplit.stage(5)
except TypeError as error: print(error)
