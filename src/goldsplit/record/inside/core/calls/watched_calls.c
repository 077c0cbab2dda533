/* Calls of one function: how many, how long, and now and then one that Python looks at. */
#include "native.h"
#include <pthread.h>

/* Calls inside each other that are timed; what is deeper is counted only. As in watched_calls.py. */
#define MOST_OPEN 100
/* Places of code that the interpreter reports, a power of two; half of them stay free. */
#define MOST_CODES 256

typedef struct {
    PyObject_HEAD
    long long calls;
    long long countdown; /* calls until the next one that Python looks at; 0: none */
    long long timed_calls, total_ns, own_ns;
    char timed;
    PyObject *begin, *end;
} WatchedCore;

/* A call that runs. `core` is only compared: after a switch of greenlets it may be gone. */
typedef struct {
    WatchedCore *core;
    long long start_ns, inner_ns;
    PyObject *token; /* of a call that the interpreter reports */
} Open;

typedef struct {
    int depth;
    long long lost_ns; /* of our own code: the clock of the calls stands still in it */
    Open open[MOST_OPEN];
} Calls;

static _Thread_local Calls *own_calls = NULL;
static pthread_key_t at_thread_end;

static Calls *calls_of_thread(void)
{
    if (own_calls == NULL && (own_calls = calloc(1, sizeof(Calls))) != NULL)
        pthread_setspecific(at_thread_end, own_calls);
    return own_calls;
}

int set_up_watched_calls(void)
{
    return pthread_key_create(&at_thread_end, free) == 0;
}

/* Let Python look at a call that begins: what it wants to see again at the end, or NULL. An error of its own is
 * swallowed; -1 in `failed`: an error goes on. */
static PyObject *look(WatchedCore *core, Calls *calls, PyObject *given, PyObject *named, int *failed)
{
    long long from = read_clock(CLOCK_MONOTONIC);
    PyObject *token = given == NULL ? NULL : PyObject_CallFunctionObjArgs(core->begin, given, named, NULL);
    if (token == NULL && !swallow(core->begin, NULL))
        *failed = -1;
    if (token == Py_None)
        Py_CLEAR(token);
    calls->lost_ns += read_clock(CLOCK_MONOTONIC) - from;
    return token;
}

static int look_again(WatchedCore *core, Calls *calls, PyObject *token, PyObject *result, long long elapsed)
{
    long long from = read_clock(CLOCK_MONOTONIC);
    PyObject *length = PyLong_FromLongLong(elapsed);
    PyObject *answer = length == NULL ? NULL : PyObject_CallFunctionObjArgs(core->end, token, result, length, NULL);
    Py_XDECREF(length);
    Py_XDECREF(answer);
    int is_fine = answer != NULL || swallow(core->end, NULL);
    calls->lost_ns += read_clock(CLOCK_MONOTONIC) - from;
    return is_fine;
}

/* A call ends that is the one at `place`: count its time. */
static long long close_call(WatchedCore *core, Calls *calls, int place, long long start_ns)
{
    long long elapsed = read_clock(CLOCK_MONOTONIC) - calls->lost_ns - start_ns;
    long long inner = calls->open[place].core == core ? calls->open[place].inner_ns : 0;
    int is_outermost = 1;
    for (int i = place - 1; i >= 0 && is_outermost; i--)
        is_outermost = calls->open[i].core != core;
    calls->depth = place;
    core->timed_calls++;
    core->own_ns += elapsed - inner;
    core->total_ns += is_outermost ? elapsed : 0;
    if (place > 0)
        calls->open[place - 1].inner_ns += elapsed;
    return elapsed;
}

static inline long long open_call(WatchedCore *core, Calls *calls, PyObject *token)
{
    Open *open = &calls->open[calls->depth++];
    open->core = core;
    open->inner_ns = 0;
    open->token = token;
    return open->start_ns = read_clock(CLOCK_MONOTONIC) - calls->lost_ns;
}

static PyObject *as_tuple(PyObject *const *arguments, Py_ssize_t number)
{
    PyObject *made = PyTuple_New(number);
    for (Py_ssize_t i = 0; made != NULL && i < number; i++)
        PyTuple_SET_ITEM(made, i, Py_NewRef(arguments[i]));
    return made;
}

static PyObject *as_dict(PyObject *const *values, PyObject *names)
{
    PyObject *made = PyDict_New();
    for (Py_ssize_t i = 0; made != NULL && i < PyTuple_GET_SIZE(names); i++)
        if (PyDict_SetItem(made, PyTuple_GET_ITEM(names, i), values[i]) < 0)
            Py_CLEAR(made);
    return made;
}

static PyObject *look_at_arguments(
    WatchedCore *core, Calls *calls, PyObject *const *arguments, size_t number, PyObject *names, int *failed)
{
    Py_ssize_t positional = PyVectorcall_NARGS(number);
    PyObject *given = as_tuple(arguments, positional);
    PyObject *named = names == NULL ? Py_NewRef(Py_None) : as_dict(arguments + positional, names);
    PyObject *token = look(core, calls, named == NULL ? NULL : given, named, failed);
    Py_XDECREF(given);
    Py_XDECREF(named);
    return token;
}

/* In place of a function; `other` says what is counted. */
PyObject *call_watched(PyObject *callable, PyObject *const *arguments, size_t number, PyObject *names)
{
    CallWrapper *self = (CallWrapper *)callable;
    WatchedCore *core = (WatchedCore *)self->other;
    core->calls++;
    int is_looked_at = core->countdown > 0 && --core->countdown == 0;
    Calls *calls = is_looked_at || core->timed ? calls_of_thread() : NULL;
    if (is_deep() && !step_aside(callable))
        return NULL;
    if (calls == NULL || calls->depth >= MOST_OPEN)
        return PyObject_Vectorcall(self->real, arguments, number, names);
    int failed = 0;
    PyObject *token = is_looked_at ? look_at_arguments(core, calls, arguments, number, names, &failed) : NULL;
    if (failed)
        return NULL;
    int place = calls->depth;
    long long start = open_call(core, calls, NULL);
    PyObject *result = PyObject_Vectorcall(self->real, arguments, number, names);
    long long elapsed = close_call(core, calls, place, start);
    if (token != NULL && result != NULL && !look_again(core, calls, token, result, elapsed))
        Py_CLEAR(result);
    Py_XDECREF(token);
    return result;
}

/* Code that the interpreter itself reports (sys.monitoring), found by its address. */
static struct {
    PyObject *code;
    WatchedCore *core;
} reported[MOST_CODES];

static size_t slot_of(PyObject *code)
{
    size_t slot = ((size_t)code >> 4) % MOST_CODES;
    while (reported[slot].code != NULL && reported[slot].code != code)
        slot = (slot + 1) % MOST_CODES;
    return slot;
}

/* (code, core): calls of this code count there from now on; with None no longer. */
PyObject *report_code(PyObject *module, PyObject *arguments)
{
    PyObject *code, *core;
    if (!PyArg_ParseTuple(arguments, "OO", &code, &core))
        return NULL;
    if (core != Py_None && !PyObject_TypeCheck(core, WatchedCore_Type))
        return PyErr_Format(PyExc_TypeError, "calls are counted in a WatchedCore");
    size_t slot = slot_of(code), used = 0;
    for (size_t i = 0; i < MOST_CODES; i++)
        used += reported[i].code != NULL;
    if (reported[slot].code == NULL && (core == Py_None || used >= MOST_CODES / 2))
        return Py_NewRef(core == Py_None ? Py_True : Py_False);
    if (reported[slot].code == NULL)
        reported[slot].code = Py_NewRef(code); /* for good: its address must stay its own */
    WatchedCore *before = reported[slot].core;
    reported[slot].core = core == Py_None ? NULL : (WatchedCore *)Py_NewRef(core);
    Py_XDECREF(before);
    Py_RETURN_TRUE;
}

/* (code, offset): a call begins. */
PyObject *report_start(PyObject *module, PyObject *const *arguments, Py_ssize_t number)
{
    WatchedCore *core = number < 1 ? NULL : reported[slot_of(arguments[0])].core;
    if (core == NULL)
        Py_RETURN_NONE;
    core->calls++;
    int is_looked_at = core->countdown > 0 && --core->countdown == 0;
    Calls *calls = is_looked_at || core->timed ? calls_of_thread() : NULL;
    if (calls == NULL || calls->depth >= MOST_OPEN)
        Py_RETURN_NONE;
    int failed = 0;
    PyObject *frame = is_looked_at ? (PyObject *)PyEval_GetFrame() : NULL;
    PyObject *token = frame == NULL ? NULL : look(core, calls, frame, Py_None, &failed);
    if (failed)
        return NULL;
    open_call(core, calls, token);
    Py_RETURN_NONE;
}

/* (code, offset, result): a call ends; those inside it that are still open have ended unseen. `has_result`: by
 * return, not by an exception. */
static PyObject *report_end(PyObject *const *arguments, Py_ssize_t number, int has_result)
{
    WatchedCore *core = number < 3 ? NULL : reported[slot_of(arguments[0])].core;
    Calls *calls = core == NULL ? NULL : own_calls;
    int place = calls == NULL ? -1 : calls->depth - 1;
    while (place >= 0 && calls->open[place].core != core)
        place--;
    if (place < 0)
        Py_RETURN_NONE;
    while (calls->depth - 1 > place)
        Py_CLEAR(calls->open[--calls->depth].token);
    PyObject *token = calls->open[place].token;
    calls->open[place].token = NULL;
    long long elapsed = close_call(core, calls, place, calls->open[place].start_ns);
    int is_fine = token == NULL || !has_result || look_again(core, calls, token, arguments[2], elapsed);
    Py_XDECREF(token);
    return is_fine ? Py_NewRef(Py_None) : NULL;
}

PyObject *report_return(PyObject *module, PyObject *const *arguments, Py_ssize_t number)
{
    return report_end(arguments, number, 1);
}

PyObject *report_unwind(PyObject *module, PyObject *const *arguments, Py_ssize_t number)
{
    return report_end(arguments, number, 0);
}

/* (begin, end): Python's own two functions, which look at single calls. */
static PyObject *watched_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords)
{
    PyObject *begin, *end;
    if (!PyArg_ParseTuple(arguments, "OO", &begin, &end))
        return NULL;
    WatchedCore *self = (WatchedCore *)type->tp_alloc(type, 0);
    if (self == NULL)
        return NULL;
    self->begin = Py_NewRef(begin);
    self->end = Py_NewRef(end);
    self->timed = 1;
    return (PyObject *)self;
}

static int watched_traverse(WatchedCore *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(self->begin);
    Py_VISIT(self->end);
    return 0;
}

static void watched_dealloc(WatchedCore *self)
{
    PyObject_GC_UnTrack(self);
    Py_CLEAR(self->begin);
    Py_CLEAR(self->end);
    free_object((PyObject *)self);
}

static PyMemberDef watched_members[] = {
    {"calls", T_LONGLONG, offsetof(WatchedCore, calls), 0, NULL},
    {"countdown", T_LONGLONG, offsetof(WatchedCore, countdown), 0, NULL},
    {"timed_calls", T_LONGLONG, offsetof(WatchedCore, timed_calls), 0, NULL},
    {"total_ns", T_LONGLONG, offsetof(WatchedCore, total_ns), 0, NULL},
    {"own_ns", T_LONGLONG, offsetof(WatchedCore, own_ns), 0, NULL},
    {"timed", T_BOOL, offsetof(WatchedCore, timed), 0, NULL},
    {NULL},
};

static PyType_Slot watched_slots[] = {
    {Py_tp_new, watched_new},
    {Py_tp_traverse, watched_traverse},
    {Py_tp_dealloc, watched_dealloc},
    {Py_tp_members, watched_members},
    {0, NULL},
};

PyType_Spec WatchedCore_Spec = {OUR_NAME("WatchedCore"), sizeof(WatchedCore), 0, OUR_FLAGS, watched_slots};
