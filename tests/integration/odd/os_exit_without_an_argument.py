import os
try: os._exit()
except TypeError: print('refused')
os.abort if 0 else os._exit(3)
