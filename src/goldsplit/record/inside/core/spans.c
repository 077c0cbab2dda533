/* Open and close spans. */
#include "native.h"
#include <math.h>

unsigned long generation = 1;
_Thread_local __attribute__((tls_model("initial-exec"))) Own own = {NULL, 0, NULL};

PyTypeObject *known_node_type = NULL;
PyObject *border_looker = NULL;
StateCore *border_state = NULL;

static PyObject *find_in_python = NULL, *thread_prefix = NULL;
static long long all_lengths = 1, some_lengths = 1, raw_bytes = 1;
static double buckets_per_e = 1;
static PyObject *name_begin_sample, *name_child, *name_end_raw, *name_close_out_of_order, *name_end_sample;

/* Looking through a type's bases is expensive where nothing is in the caches: only where a type is new. */
__attribute__((cold)) int is_other_node(PyObject *object)
{
    if (!PyObject_TypeCheck(object, NodeCore_Type))
        return 0;
    known_node_type = Py_TYPE(object);
    return 1;
}

__attribute__((cold)) static int close_out_of_order(StateCore *state, NodeCore *node, long long now, long long count)
{
    PyObject *time = PyLong_FromLongLong(now), *number = PyLong_FromLongLong(count), *result = NULL;
    if (time != NULL && number != NULL) {
        PyObject *arguments[] = {(PyObject *)state, (PyObject *)node, time, number};
        size_t given = 4 | PY_VECTORCALL_ARGUMENTS_OFFSET;
        result = PyObject_VectorcallMethod(name_close_out_of_order, arguments, given, NULL);
    }
    Py_XDECREF(time);
    Py_XDECREF(number);
    Py_XDECREF(result);
    return result == NULL ? -1 : 0;
}

__attribute__((cold)) static int call_with_time(PyObject *self, PyObject *name, long long time_ns)
{
    PyObject *time = PyLong_FromLongLong(time_ns);
    PyObject *result = time == NULL ? NULL : PyObject_CallMethodOneArg(self, name, time);
    Py_XDECREF(time);
    Py_XDECREF(result);
    return result == NULL ? -1 : 0;
}

__attribute__((cold)) StateCore *find_anew(void)
{
    if (find_in_python == NULL) { /* a wrapper came in a pickle to a process that is not recorded */
        PyObject *torch = PyImport_ImportModule("goldsplit.record.inside.hooks.torch");
        PyObject *classes = torch == NULL ? NULL : PyImport_ImportModule("goldsplit.record.inside.hooks.classes");
        Py_XDECREF(torch);
        Py_XDECREF(classes);
        if (classes == NULL)
            return NULL;
    }
    PyObject *found = find_in_python == NULL ? NULL : PyObject_CallNoArgs(find_in_python);
    if (found == NULL) {
        if (!PyErr_Occurred())
            PyErr_SetString(PyExc_RuntimeError, "goldsplit's engine is not there");
        return NULL;
    }
    if (!PyObject_TypeCheck(found, StateCore_Type)) {
        Py_DECREF(found);
        PyErr_SetString(PyExc_TypeError, "a thread's state is a StateCore");
        return NULL;
    }
    own = (Own){(StateCore *)found, generation, own.half == NULL ? half_of_stack() : own.half};
    Py_DECREF(found);
    return own.state;
}

StateCore *find_known(void)
{
    return own.generation == generation ? own.state : NULL;
}

__attribute__((cold)) static int start_sample(StateCore *state, NodeCore *node)
{
    PyObject *result = PyObject_CallMethodOneArg((PyObject *)state, name_begin_sample, (PyObject *)node);
    Py_XDECREF(result);
    return result == NULL ? -1 : 0;
}

__attribute__((cold)) static NodeCore *other_child_of(StateCore *state, NodeCore *parent, PyObject *stage)
{
    PyObject *found = PyDict_GetItemWithError(parent->children, stage);
    Py_XINCREF(found);
    if (found == NULL) {
        if (PyErr_Occurred())
            return NULL;
        PyObject *arguments[] = {(PyObject *)state, (PyObject *)parent, stage};
        found = PyObject_VectorcallMethod(name_child, arguments, 3 | PY_VECTORCALL_ARGUMENTS_OFFSET, NULL);
        if (found == NULL)
            return NULL;
    }
    if (!is_node(found)) {
        Py_DECREF(found);
        PyErr_SetString(PyExc_TypeError, "a child is a node");
        return NULL;
    }
    Py_XSETREF(parent->last_child, found);
    return (NodeCore *)found;
}

/* The node for a stage below a parent, borrowed from the parent. */
NodeCore *child_of(StateCore *state, NodeCore *parent, PyObject *stage)
{
    NodeCore *last = (NodeCore *)parent->last_child;
    return last != NULL && last->stage == stage ? last : other_child_of(state, parent, stage);
}

/* (looker or None, state): from now on `looker(node, closing)` is called before a span of the state's thread opens and
 * after one has closed. */
PyObject *watch_borders(PyObject *module, PyObject *const *arguments, Py_ssize_t number)
{
    if (number != 2)
        return PyErr_Format(PyExc_TypeError, "watch_borders takes a callable and a state");
    int is_on = arguments[0] != Py_None && PyObject_TypeCheck(arguments[1], StateCore_Type);
    border_state = is_on ? (StateCore *)arguments[1] : NULL;
    PyObject *before = border_looker;
    border_looker = is_on ? Py_NewRef(arguments[0]) : NULL;
    Py_XDECREF(before);
    Py_RETURN_NONE;
}

__attribute__((cold)) int tell_border(NodeCore *node, int closing)
{
    PyObject *looker = Py_NewRef(border_looker); /* it may end the watch itself */
    PyObject *arguments[] = {(PyObject *)node, closing ? Py_True : Py_False};
    PyObject *result = PyObject_Vectorcall(looker, arguments, 2, NULL);
    Py_DECREF(looker);
    Py_XDECREF(result);
    return result != NULL || swallow(NULL, "a border of a span") ? 0 : -1;
}

/* Open a span of a stage below a parent; its node, borrowed. The caller holds on to state and parent, because Python
 * may be called. */
NodeCore *open_stage(StateCore *state, NodeCore *parent, PyObject *stage)
{
    NodeCore *node = child_of(state, parent, stage);
    if (node == NULL || (--state->tick <= 0 && start_sample(state, node) < 0) || at_border(state, node, 0) < 0)
        return NULL;
    open_span(state, node, NOW);
    return node;
}

PyObject *enter(PyObject *module, PyObject *stage)
{
    if (!PyUnicode_Check(stage))
        return PyErr_Format(PyExc_TypeError, "not a stage: %R", stage);
    StateCore *state = find();
    if (state == NULL)
        return nothing_instead("the start of a span");
    NodeCore *parent = (NodeCore *)state->current;
    if (is_same(parent->stage, stage))
        Py_RETURN_NONE;
    Py_INCREF(state);
    Py_INCREF(parent);
    NodeCore *node = open_stage(state, parent, stage);
    Py_XINCREF(node);
    Py_DECREF(parent);
    Py_DECREF(state);
    return node == NULL ? nothing_instead("the start of a span") : (PyObject *)node;
}

/* Add one to the single spans of a raw window. */
static int keep_raw(StateCore *state, NodeCore *node, long long elapsed)
{
    long long span[] = {node->id, node->t0, elapsed};
    Py_ssize_t size = PyByteArray_GET_SIZE(state->raw), wanted = size + (Py_ssize_t)sizeof span;
    if (PyByteArray_Resize(state->raw, wanted) < 0)
        return -1;
    memcpy(PyByteArray_AS_STRING(state->raw) + size, span, sizeof span);
    return wanted < raw_bytes
        ? 0
        : call_with_time((PyObject *)state, name_end_raw, node->t0 + elapsed);
}

/* Count the length of the span that was just counted, for percentiles. */
static void keep_length(NodeCore *node, long long elapsed)
{
    long bucket = (long)(log((double)(elapsed > 0 ? elapsed + 1 : 1)) * buckets_per_e);
    bucket = bucket < BUCKETS_OF_LENGTH ? bucket : BUCKETS_OF_LENGTH - 1;
    node->lengths[bucket] += node->count < all_lengths ? 1 : (unsigned int)some_lengths;
}

/* Add a span to its node, and to the raw window if there is one. */
static inline int add_span(StateCore *state, NodeCore *node, long long elapsed, long long count)
{
    node->count += count;
    node->total_ns += elapsed;
    return state->raw != NULL && PyByteArray_CheckExact(state->raw) ? keep_raw(state, node, elapsed) : 0;
}

/* The innermost span ends; any other one is left to Python. `count` is 0 where it will go on. The caller holds on to
 * state and node. */
int close_span(StateCore *state, NodeCore *node, long long now, long long count)
{
    NodeCore *parent = (NodeCore *)node->parent;
    if (state->current != (PyObject *)node || !is_node((PyObject *)parent))
        return close_out_of_order(state, node, now, count);
    long long elapsed = now - node->t0;
    state->ended_ns = now;
    if (parent->parent == Py_None)
        state->top_ns += elapsed;
    make_current(state, (PyObject *)parent);
    int failed = add_span(state, node, elapsed, count);
    if (node->count < all_lengths || node->count % some_lengths == 0)
        keep_length(node, elapsed);
    return at_border(state, node, 1) < 0 ? -1 : failed;
}

__attribute__((cold)) static void end_cpu_sample(NodeCore *node, long long elapsed)
{
    node->cpu_count += 1;
    node->cpu_ns += read_clock(CLOCK_THREAD_CPUTIME_ID) - node->cpu_from_ns;
    node->cpu_wall_ns += elapsed;
    node->cpu_from_ns = 0;
}

/* Close this thread's span; for one whose cost is sampled: the clock to count it from, else 0; -1: failed. */
long long leave_span(StateCore *state, NodeCore *node, long long now, long long count)
{
    long long elapsed = now - node->t0;
    if (node->cpu_from_ns)
        end_cpu_sample(node, elapsed);
    Py_INCREF(state);
    int failed = close_span(state, node, now, count) < 0;
    Py_DECREF(state);
    if (failed)
        return -1;
    long long from_ns = node->cost_from_ns ? node->cost_from_ns + elapsed : 0;
    node->cost_from_ns = 0;
    return from_ns;
}

/* (node, count=1) */
PyObject *leave(PyObject *module, PyObject *const *arguments, Py_ssize_t number)
{
    long long now = read_clock(CLOCK_MONOTONIC);
    if (number < 1 || number > 2 || !is_node(arguments[0]))
        return PyErr_Format(PyExc_TypeError, "leave takes a node and how often it counts");
    long long count = number > 1 ? PyLong_AsLongLong(arguments[1]) : 1;
    if (count == -1 && PyErr_Occurred())
        return NULL;
    StateCore *state = find();
    long long from_ns = state == NULL ? -1 : leave_span(state, (NodeCore *)arguments[0], now, count);
    if (from_ns < 0 && !swallow(NULL, "the end of a span"))
        return NULL;
    return PyLong_FromLongLong(from_ns < 0 ? 0 : from_ns);
}

/* What Python gives to open, close or add a span. */
typedef struct {
    StateCore *state;
    NodeCore *node;
    long long time, count;
} Given;

/* (state, node, time, count=1); 0 with an error if they are something else. */
static int are_given(PyObject *const *arguments, Py_ssize_t number, Given *given)
{
    if (number < 3 || number > 4 || !PyObject_TypeCheck(arguments[0], StateCore_Type) || !is_node(arguments[1])) {
        PyErr_SetString(PyExc_TypeError, "a span is of a state, a node, a time and how often it counts");
        return 0;
    }
    long long time = PyLong_AsLongLong(arguments[2]);
    long long count = number > 3 && !PyErr_Occurred() ? PyLong_AsLongLong(arguments[3]) : 1;
    *given = (Given){(StateCore *)arguments[0], (NodeCore *)arguments[1], time, count};
    return !PyErr_Occurred();
}

PyObject *open_from_python(PyObject *module, PyObject *const *arguments, Py_ssize_t number)
{
    Given given;
    if (!are_given(arguments, number, &given) || at_border(given.state, given.node, 0) < 0)
        return NULL;
    open_span(given.state, given.node, given.time);
    Py_RETURN_NONE;
}

PyObject *close_from_python(PyObject *module, PyObject *const *arguments, Py_ssize_t number)
{
    Given given;
    if (!are_given(arguments, number, &given) || close_span(given.state, given.node, given.time, given.count) < 0)
        return NULL;
    Py_RETURN_NONE;
}

PyObject *add_from_python(PyObject *module, PyObject *const *arguments, Py_ssize_t number)
{
    Given given;
    if (!are_given(arguments, number, &given) || add_span(given.state, given.node, given.time, given.count) < 0)
        return NULL;
    Py_RETURN_NONE;
}

__attribute__((cold)) int end_sample(StateCore *state, long long from_ns)
{
    return call_with_time((PyObject *)state, name_end_sample, from_ns);
}

PyObject *this_thread(PyObject *module, PyObject *unused)
{
    StateCore *state = find();
    return state == NULL ? NULL : Py_NewRef(state);
}

PyObject *forget(PyObject *module, PyObject *state)
{
    generation += 1; /* rare; every thread asks Python once more */
    Py_RETURN_NONE;
}

/* The name by which a wait knows this thread; a new reference. Python is not asked for a state: a thread that has just
 * begun notifies before the module `threading` knows it. */
PyObject *name_of_thread(void)
{
    StateCore *state = find_known();
    if (state != NULL && state->waker != NULL)
        return Py_NewRef(state->waker);
    return PyUnicode_FromFormat("%U%lu", thread_prefix, PyThread_get_thread_native_id());
}

PyObject *set_up(PyObject *module, PyObject *arguments)
{
    PyObject *finder, *prefix;
    if (!PyArg_ParseTuple(
            arguments, "OLLLdU", &finder, &all_lengths, &some_lengths, &raw_bytes, &buckets_per_e, &prefix))
        return NULL;
    generation += 1;
    Py_XSETREF(find_in_python, Py_NewRef(finder));
    Py_XSETREF(thread_prefix, Py_NewRef(prefix));
    Py_RETURN_NONE;
}

int set_up_names_of_spans(void)
{
    return (thread_prefix = PyUnicode_InternFromString("")) != NULL
        && (name_begin_sample = PyUnicode_InternFromString("begin_sample")) != NULL
        && (name_child = PyUnicode_InternFromString("child")) != NULL
        && (name_end_raw = PyUnicode_InternFromString("end_raw")) != NULL
        && (name_close_out_of_order = PyUnicode_InternFromString("close_out_of_order")) != NULL
        && (name_end_sample = PyUnicode_InternFromString("end_sample")) != NULL;
}
