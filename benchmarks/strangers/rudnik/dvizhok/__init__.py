from .yadro import Mir, Sushchnost, Sistema
from .shina import ShinaSobytiy
