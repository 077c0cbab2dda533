import random
import numpy as np

class SumTree:
    def __init__(self, capacity):
        self.capacity = capacity
        self.tree = [0.0] * (2 * capacity - 1)
        self.stored_items = [None] * capacity
        self.write_position = self.number_of_items = 0

    def add(self, priority, item):
        self.stored_items[self.write_position] = item
        self.update(self.write_position + self.capacity - 1, priority)
        self.write_position = (self.write_position + 1) % self.capacity
        self.number_of_items = min(self.number_of_items + 1, self.capacity)

    def update(self, tree_index, priority):
        change = priority - self.tree[tree_index]
        self.tree[tree_index] = priority
        while tree_index != 0:
            tree_index = (tree_index - 1) // 2
            self.tree[tree_index] += change

    def retrieve(self, value):
        tree_index = 0
        while 2 * tree_index + 1 < len(self.tree):
            left = 2 * tree_index + 1
            if value <= self.tree[left] or self.tree[left + 1] == 0.0:
                tree_index = left
            else:
                value, tree_index = value - self.tree[left], left + 1
        return tree_index, self.tree[tree_index], self.stored_items[tree_index - self.capacity + 1]

class PrioritizedReplayMemory:
    def __init__(self, capacity=8192, alpha=0.6, beta=0.4):
        self.sum_tree = SumTree(capacity)
        self.alpha, self.beta, self.maximum_priority = alpha, beta, 1.0

    def __len__(self):
        return self.sum_tree.number_of_items

    def remember(self, transition):
        self.sum_tree.add(self.maximum_priority, transition)

    def sample_batch(self, batch_size):
        tree_indices, priorities, transitions = [], [], []
        segment = self.sum_tree.tree[0] / batch_size
        self.beta = min(1.0, self.beta + 0.0001)
        for segment_number in range(batch_size):
            value = random.uniform(segment * segment_number, segment * (segment_number + 1))
            for found_list, found in zip((tree_indices, priorities, transitions), self.sum_tree.retrieve(value)):
                found_list.append(found)
        probabilities = np.array(priorities) / self.sum_tree.tree[0]
        weights = (len(self) * probabilities) ** (-self.beta)
        return tree_indices, (weights / weights.max()).astype(np.float32), [np.array(column) for column in zip(*transitions)]

    def update_priorities(self, tree_indices, temporal_difference_errors):
        for tree_index, error in zip(tree_indices, temporal_difference_errors):
            priority = (abs(float(error)) + 0.01) ** self.alpha
            self.maximum_priority = max(self.maximum_priority, priority)
            self.sum_tree.update(tree_index, priority)
