# tokei.py : jikan wo hakaru (naka no jikan wa soto ni kazoenai)
import time
from functools import wraps

goukei = {}
_tsumi = []
_mae = 0.0
_ugoku = False


def hajime():
    global _mae, _ugoku
    goukei.clear()
    _tsumi[:] = ["other"]
    _ugoku = True
    _mae = time.perf_counter()
    return _mae


def owari():
    global _ugoku
    ima = time.perf_counter()
    goukei[_tsumi[-1]] = goukei.get(_tsumi[-1], 0.0) + ima - _mae
    _ugoku = False
    return ima


def hakaru(namae, zenbu=False):
    """zenbu=True : naka no @hakaru wo mushi suru"""
    def kazari(f):
        @wraps(f)
        def tsutsumi(*a, **k):
            global _mae, _ugoku
            if not _ugoku:
                return f(*a, **k)
            ima = time.perf_counter()
            ue = _tsumi[-1]
            goukei[ue] = goukei.get(ue, 0.0) + ima - _mae
            _tsumi.append(namae)
            _mae = ima
            if zenbu:
                _ugoku = False
            try:
                return f(*a, **k)
            finally:
                if zenbu:
                    _ugoku = True
                ima = time.perf_counter()
                goukei[namae] = goukei.get(namae, 0.0) + ima - _mae
                _tsumi.pop()
                _mae = ima
        return tsutsumi
    return kazari
