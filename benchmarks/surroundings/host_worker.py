"""Runs a whole training in a worker process, and waits for what it tells."""

import multiprocessing

from train import embedded


def work(pipe):
    embedded()
    pipe.send("done")


def main():
    pipe, theirs = multiprocessing.Pipe()
    worker = multiprocessing.get_context("fork").Process(target=work, args=(theirs,))
    worker.start()
    theirs.close()
    try:
        print(pipe.recv())
    except EOFError:
        raise SystemExit("the worker died") from None
    worker.join()


if __name__ == "__main__":
    main()
