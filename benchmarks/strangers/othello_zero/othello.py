"""Othello 6x6. Plansza to krotka 36 pól: 0 puste, 1 ja, -1 przeciwnik (zawsze z punktu widzenia gracza na ruchu)."""
import numpy as np

N = 6
PASS = N * N
ACTIONS = N * N + 1

# dla każdego pola: lista promieni (list pól) w 8 kierunkach
RAYS = []
for r in range(N):
    for c in range(N):
        rays = []
        for dr in (-1, 0, 1):
            for dc in (-1, 0, 1):
                if dr == 0 and dc == 0:
                    continue
                ray = []
                rr, cc = r + dr, c + dc
                while 0 <= rr < N and 0 <= cc < N:
                    ray.append(rr * N + cc)
                    rr += dr
                    cc += dc
                if len(ray) > 1:
                    rays.append(ray)
        RAYS.append(rays)


def start_board():
    b = [0] * (N * N)
    m = N // 2
    b[(m - 1) * N + m - 1] = -1
    b[m * N + m] = -1
    b[(m - 1) * N + m] = 1
    b[m * N + m - 1] = 1
    return tuple(b)


def flips(board, sq):
    out = []
    for ray in RAYS[sq]:
        run = []
        for p in ray:
            v = board[p]
            if v == -1:
                run.append(p)
            elif v == 1:
                out += run
                break
            else:
                break
    return out


def legal_moves(board):
    moves = [sq for sq in range(N * N) if board[sq] == 0 and flips(board, sq)]
    return moves or [PASS]


def next_board(board, move):
    """zwraca planszę już z punktu widzenia drugiego gracza"""
    if move == PASS:
        return tuple(-v for v in board)
    b = list(board)
    for p in flips(board, move):
        b[p] = 1
    b[move] = 1
    return tuple(-v for v in b)


def outcome(board, moves):
    """None gdy gra trwa, inaczej wynik dla gracza na ruchu"""
    if moves[0] != PASS:
        return None
    other = tuple(-v for v in board)
    if legal_moves(other)[0] != PASS:
        return None
    s = sum(board)
    return 1.0 if s > 0 else (-1.0 if s < 0 else 0.0)


def planes(board):
    a = np.array(board, dtype=np.float32).reshape(N, N)
    return np.stack([a == 1, a == -1, np.ones_like(a)]).astype(np.float32)


def symmetries(x, pi):
    board_pi = pi[:-1].reshape(N, N)
    for k in range(4):
        for flip in (False, True):
            xx = np.rot90(x, k, axes=(1, 2))
            pp = np.rot90(board_pi, k)
            if flip:
                xx = xx[:, :, ::-1]
                pp = pp[:, ::-1]
            yield np.ascontiguousarray(xx), np.append(pp.ravel(), pi[-1]).astype(np.float32)
