from .keep import GloomKeep
from .goggles import OnlyLegal, Afterimage, Breadcrumbs


def open_the_gate(seed=None, crumbs=True, frames=2):
    k = GloomKeep(seed=seed)
    k = OnlyLegal(k)
    k = Afterimage(k, frames)
    if crumbs:
        k = Breadcrumbs(k)
    return k
