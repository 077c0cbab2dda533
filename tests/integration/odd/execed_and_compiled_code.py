source = '''
class Game:
    def reset(self): return 0
    def step(self, action): return action, 1.0, False, {}
print(Game().step(1), Game.__module__)
'''
exec(source)
space = {'__name__': 'elsewhere'}; exec(compile(source, '<made>', 'exec'), space)
exec(source, {}); exec(source, {'__name__': 5})
import types
module = types.ModuleType('made'); exec(source, vars(module)); print(module.Game().step(2))
made = type('Game', (), {'reset': lambda self: 0, 'step': lambda self, action: (action, 1.0, False, {})})
print(made().step(3), types.new_class('Other', (made,))().step(4))
