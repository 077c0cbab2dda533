import builtins
real = print
builtins.print = lambda *given: real('mine', *given)
print(1)
builtins.print = real
print(2, sep='x', end='!\n')
print(print.__name__, print.__module__, callable(print))
try: print(3, nothing=4)
except TypeError as error: print(error)
