# Tous les réglages du jeu et de l'apprentissage
LARGEUR = 9
HAUTEUR = 9
PART_FORET = 0.18
PART_ROCHER = 0.10
TOURS_MAX = 14
POINTS_ACTION = 2
NB_UNITES = 3
# nom: (pv, dégâts, portée)
TYPES = {
    "fantassin": (6, 2, 1),
    "archer": (4, 2, 3),
    "lourd": (9, 3, 1),
}
# 6 déplacements, 3 attaques (sur l'unité adverse n), passer
NB_ACTIONS = 6 + NB_UNITES + 1
NB_PLANS = 10
GAMMA = 0.97
TAUX = 5e-4
TAILLE_LOT = 32
TAILLE_MEMOIRE = 20000
DEBUT_APPRENTISSAGE = 200
PERIODE_APPRENTISSAGE = 4
PERIODE_CIBLE = 250
EPSILON_DEBUT, EPSILON_FIN, EPSILON_PAS = 1.0, 0.08, 4000
PERIODE_EVAL = 60       # en parties
PARTIES_EVAL = 2
