print('x' * 200_000)
print('\u2603 \U0001f600 \x00 \r|'.encode('utf-8'))
import sys
sys.stdout.buffer.write(bytes(range(256)))
class Übung:
  def reset(self): return 0
  def step(self, größe): return größe, 1.0, False, {}
print(Übung().step(3), Übung)
