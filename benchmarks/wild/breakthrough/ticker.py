from time import perf_counter_ns


def make_ticker():
    spent, open_, mark, mute = {}, ["loop"], [0, 0], [False]

    def enter(what):
        if mute[0]:
            return
        t = perf_counter_ns()
        spent[open_[-1]] = spent.get(open_[-1], 0) + t - mark[0]
        open_.append(what)
        mark[0] = t

    def leave():
        if mute[0]:
            return
        t = perf_counter_ns()
        what = open_.pop()
        spent[what] = spent.get(what, 0) + t - mark[0]
        mark[0] = t

    def begin():
        spent.clear()
        mark[0] = mark[1] = perf_counter_ns()

    def end():
        t = perf_counter_ns()
        spent[open_[-1]] = spent.get(open_[-1], 0) + t - mark[0]
        mark[0] = t
        return t - mark[1], dict(spent)

    def hush(on):
        mute[0] = on

    return enter, leave, begin, end, hush


enter, leave, begin, end, hush = make_ticker()
