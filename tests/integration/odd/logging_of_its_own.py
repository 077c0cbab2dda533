import logging, sys
class Loud(logging.Logger):
    def handle(self, record): record.msg = str(record.msg).upper(); super().handle(record)
logging.setLoggerClass(Loud)
logging.basicConfig(stream=sys.stdout, format='%(funcName)s %(lineno)d %(filename)s %(message)s')
def speak(): logging.getLogger('x').warning('said %s', 1); logging.getLogger('y').error('again', stacklevel=2)
speak(); logging.warning('root'); logging.captureWarnings(True)
import warnings
def old(): warnings.warn('old', DeprecationWarning, stacklevel=2)
class Game:
    def reset(self): return 0
    def step(self, action): warnings.warn('from step', UserWarning, stacklevel=1); return 0, 1.0, False, {}
warnings.simplefilter('always'); old(); Game().step(1)
