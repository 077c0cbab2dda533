"""reads the yaml of this game; the real library where it is installed, else the little that worlds.yaml needs"""
try:
    from yaml import safe_load as parse
except ImportError:
    def value(word):
        word = word.strip()
        if word[:1] in "\"'" and word[-1:] == word[:1]:
            return word[1:-1]
        if word.startswith("["):
            return [value(w) for w in word[1:-1].split(",")]
        for kind in (int, float):
            try:
                return kind(word)
            except ValueError:
                pass
        return word

    def block(lines, depth):
        node = None
        while lines and lines[0][0] >= depth:
            indent, line = lines[0]
            if line.startswith("- "):
                node = [] if node is None else node
                lines[0] = (indent + 2, line[2:])
                node.append(block(lines, indent + 2))
                continue
            node = {} if node is None else node
            lines.pop(0)
            key, _, rest = line.partition(":")
            if rest.strip():
                node[key.strip()] = value(rest)
            else:
                node[key.strip()] = block(lines, indent + 1)
        return node

    def parse(source):
        lines = []
        for line in source.splitlines():
            bare = line.strip()
            if bare and not bare.startswith("#"):
                lines.append((len(line) - len(line.lstrip()), bare))
        return block(lines, 0)
