# Tetris environment for my ML course project
# based on the tutorial "Deep Q-learning for playing Tetris" + some changes by me
import random
import time
import numpy as np

# my timers (prof wants a table where the time goes)
T = {}


def add_time(key, t0):
    T[key] = T.get(key, 0.0) + (time.perf_counter() - t0)


class Tetris:
    piece_colors = [(0, 0, 0), (255, 255, 0), (147, 88, 254), (54, 175, 144),
                    (255, 0, 0), (102, 217, 238), (254, 151, 32), (0, 0, 255)]

    pieces = [
        [[1, 1], [1, 1]],
        [[0, 2, 0], [2, 2, 2]],
        [[0, 3, 3], [3, 3, 0]],
        [[4, 4, 0], [0, 4, 4]],
        [[5, 5, 5, 5]],
        [[0, 0, 6], [6, 6, 6]],
        [[7, 0, 0], [7, 7, 7]],
    ]

    def __init__(self, height=20, width=10, block_size=12):
        self.height = height
        self.width = width
        self.block_size = block_size
        self.reset()

    def reset(self):
        self.board = [[0] * self.width for _ in range(self.height)]
        self.score = 0
        self.tetrominoes = 0
        self.cleared_lines = 0
        self.bag = list(range(len(self.pieces)))
        random.shuffle(self.bag)
        self.ind = self.bag.pop()
        self.next_ind = self.bag.pop()
        self.piece = [row[:] for row in self.pieces[self.ind]]
        self.gameover = False
        return self.get_state_properties(self.board, 0)

    def rotate(self, piece):
        num_rows_orig = num_cols_new = len(piece)
        num_rows_new = len(piece[0])
        rotated_array = []
        for i in range(num_rows_new):
            new_row = [0] * num_cols_new
            for j in range(num_cols_new):
                new_row[j] = piece[(num_rows_orig - 1) - j][i]
            rotated_array.append(new_row)
        return rotated_array

    # ---------- features ----------
    def get_state_properties(self, board, lines):
        """the features of the board (heights, holes, bumpiness...) -> vector of 33"""
        holes = self.get_holes(board)
        bumpiness, heights = self.get_bumpiness_and_height(board)
        wells = 0
        for c in range(self.width):
            left = heights[c - 1] if c > 0 else self.height
            right = heights[c + 1] if c < self.width - 1 else self.height
            wells += max(0, min(left, right) - heights[c])
        row_trans = 0
        for row in board:
            prev = 1
            for cell in row:
                cur = 1 if cell else 0
                if cur != prev:
                    row_trans += 1
                prev = cur
        nxt = [0.0] * 7
        nxt[self.next_ind] = 1.0
        holes_col = []
        for c in range(self.width):
            holes_col.append(sum(1 for r in range(self.height - heights[c], self.height) if board[r][c] == 0))
        feats = [lines / 4, holes / 10, bumpiness / 20, sum(heights) / 50, wells / 10, row_trans / 40]
        feats = feats + [h / 10 for h in heights] + [h / 5 for h in holes_col] + nxt
        return np.array(feats, dtype=np.float32)

    def get_holes(self, board):
        num_holes = 0
        for col in zip(*board):
            row = 0
            while row < self.height and col[row] == 0:
                row += 1
            num_holes += len([x for x in col[row + 1:] if x == 0])
        return num_holes

    def get_bumpiness_and_height(self, board):
        board = np.array(board)
        mask = board != 0
        invert_heights = np.where(mask.any(axis=0), np.argmax(mask, axis=0), self.height)
        heights = self.height - invert_heights
        currs = heights[:-1]
        nexts = heights[1:]
        return int(np.sum(np.abs(currs - nexts))), [int(h) for h in heights]

    # ---------- after states ----------
    def get_next_boards(self):
        """every legal placement of the current piece: (x, rotation) -> board after it"""
        boards = {}
        curr_piece = [row[:] for row in self.piece]
        if self.ind == 0:
            num_rotations = 1
        elif self.ind in (2, 3, 4):
            num_rotations = 2
        else:
            num_rotations = 4
        for i in range(num_rotations):
            valid_xs = self.width - len(curr_piece[0])
            for x in range(valid_xs + 1):
                y = 0
                while not self.check_collision(curr_piece, x, y):
                    y += 1
                y -= 1
                board = self.store(curr_piece, x, y)
                if board is None:
                    continue
                lines, board = self.check_cleared_rows(board)
                boards[(x, i)] = (board, lines)
            curr_piece = self.rotate(curr_piece)
        return boards

    def check_collision(self, piece, px, py):
        for y in range(len(piece)):
            for x in range(len(piece[y])):
                if piece[y][x]:
                    if py + y > self.height - 1 or self.board[py + y][px + x]:
                        return True
        return False

    def store(self, piece, px, py):
        if py < 0:
            return None
        board = [row[:] for row in self.board]
        for y in range(len(piece)):
            for x in range(len(piece[y])):
                if piece[y][x] and not board[py + y][px + x]:
                    board[py + y][px + x] = piece[y][x]
        return board

    def check_cleared_rows(self, board):
        to_delete = [i for i, row in enumerate(board) if 0 not in row]
        for i in to_delete:
            del board[i]
            board = [[0] * self.width] + board
        return len(to_delete), board

    # ---------- step ----------
    def step(self, action):
        x, num_rotations = action
        t0 = time.perf_counter()
        piece = [row[:] for row in self.piece]
        for _ in range(num_rotations):
            piece = self.rotate(piece)
        y = 0
        while not self.check_collision(piece, x, y):
            y += 1
        self.board = self.store(piece, x, y - 1)
        lines_cleared, self.board = self.check_cleared_rows(self.board)
        score = 1 + (lines_cleared ** 2) * self.width
        self.score += score
        self.tetrominoes += 1
        self.cleared_lines += lines_cleared
        self.new_piece()
        # game over if new piece has no place
        if len(self.get_next_boards()) == 0:
            self.gameover = True
            self.score -= 2
            score = -2
        add_time("env.step", t0)
        return score, self.gameover

    def new_piece(self):
        if not len(self.bag):
            self.bag = list(range(len(self.pieces)))
            random.shuffle(self.bag)
        self.ind = self.next_ind
        self.next_ind = self.bag.pop()
        self.piece = [row[:] for row in self.pieces[self.ind]]

    # ---------- picture ----------
    def render(self):
        img = [self.piece_colors[p] for row in self.board for p in row]
        img = np.array(img, dtype=np.uint8).reshape((self.height, self.width, 3))
        img = img.repeat(self.block_size, axis=0).repeat(self.block_size, axis=1)
        img[[i * self.block_size for i in range(self.height)], :, :] = 30
        img[:, [i * self.block_size for i in range(self.width)], :] = 30
        return img
