import traceback
class Game:
    def reset(self): return 0
    def step(self, action):
        try: return {}[action]
        except KeyError as error: raise ValueError('no such action') from error
try: Game().step(5)
except ValueError as error:
    print(repr(error.__cause__), repr(error.__context__), error.__suppress_context__)
    error.add_note('noted'); print(error.__notes__)
    print([frame.name for frame in traceback.extract_tb(error.__traceback__) if 'goldsplit' not in frame.filename])
class Odd(BaseException): pass
class Leaves:
    def reset(self): return 0
    def step(self, action): raise Odd(action)
try: Leaves().step(1)
except Odd as error: print(repr(error))
Game().step(9)
