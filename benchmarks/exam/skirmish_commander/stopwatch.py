import time
from contextlib import contextmanager

class TrainingStopwatch:
    """Nested sections pause the enclosing section, except inside a section that swallows everything."""
    seconds_per_section, open_sections, swallowing = {}, [], False

    def begin_training(self):
        self.training_started_at = time.perf_counter()

    def elapsed_seconds(self):
        return time.perf_counter() - self.training_started_at

    @contextmanager
    def section(self, section_name, swallow_everything_inside=False):
        if self.swallowing:
            yield
            return
        self.swallowing = swallow_everything_inside
        frame = [time.perf_counter(), 0.0]
        self.open_sections.append(frame)
        yield
        duration = time.perf_counter() - frame[0]
        self.open_sections.pop()
        if self.open_sections:
            self.open_sections[-1][1] += duration
        self.seconds_per_section[section_name] = self.seconds_per_section.get(section_name, 0.0) + duration - frame[1]
        self.swallowing = False

stopwatch = TrainingStopwatch()
