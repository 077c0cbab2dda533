import ctypes
import sys

if len(sys.argv) > 1:
    total = sum(i * i for i in range(3_000_000))
    print("second", sys.argv[1:], total, flush=True)
    sys.exit(4)
print("first", sum(i * i for i in range(2_000_000)), flush=True)
words = [word.encode() for word in (sys.executable, sys.argv[0], "x")]
ctypes.CDLL(None).execv(words[0], (ctypes.c_char_p * 4)(*words, None))
