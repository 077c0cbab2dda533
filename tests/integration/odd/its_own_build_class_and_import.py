import builtins
real_build, real_import = builtins.__build_class__, builtins.__import__
made, imported = [], []
def build(body, name, *bases, **more):
    made.append(name); return real_build(body, name, *bases, **more)
def importing(name, *given, **more):
    imported.append(name); return real_import(name, *given, **more)
builtins.__build_class__ = build
builtins.__import__ = importing
class Game:
    def reset(self): return 0
    def step(self, action): return action, 1.0, False, {}
import colorsys, queue
builtins.__import__ = real_import
print(Game().step(1), made[:1], imported[:1], queue.Queue.__name__)
class Meta(type): pass
class Other(metaclass=Meta): pass
builtins.__build_class__ = real_build
class Third(Other): pass
print(made[-2:], type(Third).__name__, eval('type("Four", (), {})').__name__)
