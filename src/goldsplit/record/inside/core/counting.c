/* Count: calls, environment steps, updates. */
#include "native.h"

/* As in counting.py. */
#define LOOK_AT_STEP_EVERY 256
#define LOOK_AT_STEP 40

static PyObject *unusual_step = NULL, *unusual_update = NULL, *update_keys = NULL;
static int is_watched = 0; /* `on_beat` is called after every step and update: then all are left to Python */
static long long progress_ns = 0; /* when the last step or update ended */

int add(PyObject *counts, PyObject *key, Py_ssize_t amount)
{
    PyObject *before = PyDict_GetItemWithError(counts, key);
    if (before == NULL && PyErr_Occurred())
        return -1;
    PyObject *more = PyLong_FromSsize_t(amount);
    PyObject *after = before == NULL || more == NULL ? Py_XNewRef(more) : PyNumber_Add(before, more);
    int failed = after == NULL || PyDict_SetItem(counts, key, after) < 0;
    Py_XDECREF(more);
    Py_XDECREF(after);
    return failed ? -1 : 0;
}

PyObject *count_one(PyObject *module, PyObject *key)
{
    StateCore *state = find();
    if (state == NULL || add(state->counts, key, 1) < 0)
        return nothing_instead("a counter");
    Py_RETURN_NONE;
}

static int is_flag(PyObject *value)
{
    return PyBool_Check(value) || strncmp(Py_TYPE(value)->tp_name, "numpy.bool", 10) == 0;
}

/* How many environments a step was of, and how many of their episodes ended with it. */
typedef struct {
    Py_ssize_t steps, episodes;
} Outcome;

static int is_list(PyObject *value)
{
    return PyList_CheckExact(value) || PyTuple_CheckExact(value);
}

/* Lists of bools of one length, or `done` alone (`cut` is NULL); 0 for anything else. */
static int count_lists(PyObject *done, PyObject *cut, Outcome *outcome)
{
    Py_ssize_t size = PySequence_Fast_GET_SIZE(done);
    if (cut != NULL && (!is_list(cut) || PySequence_Fast_GET_SIZE(cut) != size))
        return 0;
    *outcome = (Outcome){size, 0};
    for (Py_ssize_t i = 0; i < size; i++) {
        PyObject *first = PySequence_Fast_GET_ITEM(done, i);
        PyObject *second = cut == NULL ? Py_False : PySequence_Fast_GET_ITEM(cut, i);
        if (!is_flag(first) || !is_flag(second))
            return 0;
        outcome->episodes += PyObject_IsTrue(first) == 1 || PyObject_IsTrue(second) == 1;
    }
    return 1;
}

static int is_array(PyObject *value)
{
    return strcmp(Py_TYPE(value)->tp_name, "numpy.ndarray") == 0;
}

/* The bools of an array of one dimension; 0 if it is another one. */
static int open_flags(PyObject *array, Py_buffer *flags)
{
    if (PyObject_GetBuffer(array, flags, PyBUF_FORMAT | PyBUF_C_CONTIGUOUS) < 0) {
        PyErr_Clear();
        return 0;
    }
    if (flags->ndim == 1 && flags->itemsize == 1 && flags->format != NULL && strcmp(flags->format, "?") == 0)
        return 1;
    PyBuffer_Release(flags);
    return 0;
}

/* The same of arrays. */
static int count_arrays(PyObject *done, PyObject *cut, Outcome *outcome)
{
    Py_buffer first, second = {0};
    if ((cut != NULL && !is_array(cut)) || !open_flags(done, &first))
        return 0;
    int are_usual = cut == NULL || open_flags(cut, &second);
    if (are_usual && cut != NULL && second.len != first.len) {
        PyBuffer_Release(&second);
        are_usual = 0;
    }
    if (are_usual) {
        const char *ended = first.buf, *ended_early = cut == NULL ? NULL : second.buf;
        *outcome = (Outcome){first.len, 0};
        for (Py_ssize_t i = 0; i < first.len; i++)
            outcome->episodes += ended[i] != 0 || (ended_early != NULL && ended_early[i] != 0);
        if (cut != NULL)
            PyBuffer_Release(&second);
    }
    PyBuffer_Release(&first);
    return are_usual;
}

/* Whether a result is of the most usual shapes, (observation, reward, terminated, truncated, info) or with one
 * `done`; each of them a bool, a list of bools or an array of bools. */
static int is_usual(PyObject *result, Outcome *outcome)
{
    if (!PyTuple_CheckExact(result) || PyTuple_GET_SIZE(result) < 3)
        return 0;
    PyObject *done = PyTuple_GET_ITEM(result, 2);
    PyObject *cut = PyTuple_GET_SIZE(result) >= 5 ? PyTuple_GET_ITEM(result, 3) : NULL;
    if (is_flag(done) && (cut == NULL || is_flag(cut))) {
        int has_ended = PyObject_IsTrue(done) == 1 || (cut != NULL && PyObject_IsTrue(cut) == 1);
        *outcome = (Outcome){1, has_ended};
        return 1;
    }
    return is_list(done) ? count_lists(done, cut, outcome) : is_array(done) && count_arrays(done, cut, outcome);
}

static PyObject *leave_to(PyObject *python, PyObject *const *arguments, Py_ssize_t number)
{
    if (python == NULL)
        return PyErr_Format(PyExc_RuntimeError, "goldsplit's hooks are not there yet");
    return PyObject_Vectorcall(python, arguments, number, NULL);
}

static int are_usual(PyObject *const *arguments, Py_ssize_t number)
{
    return number == 4 && PyObject_TypeCheck(arguments[0], StateCore_Type) && is_node(arguments[1])
        && PyTuple_Check(arguments[2]);
}

static int is_key(PyObject *key)
{
    return key != NULL && key != Py_None;
}

/* Count one call of an environment's step; 1: done, 0: it is left to Python, -1: failed. */
int count_usual_step(StateCore *state, NodeCore *node, PyObject *result)
{
    Outcome outcome;
    if (is_watched || !is_key(node->steps_key) || !is_key(node->episodes_key)
        || node->count % LOOK_AT_STEP_EVERY == LOOK_AT_STEP || !is_usual(result, &outcome))
        return 0;
    settle(state, 0);
    state->forward_ns = 0;
    progress_ns = state->ended_ns;
    if (add(state->counts, node->steps_key, outcome.steps) < 0)
        return -1;
    return outcome.episodes && add(state->counts, node->episodes_key, outcome.episodes) < 0 ? -1 : 1;
}

/* Count one call of an optimizer's step; 1: done, 0: it is left to Python, -1: failed. */
int count_usual_update(StateCore *state, NodeCore *node, PyObject *optimizer)
{
    if (is_watched || update_keys == NULL || is_due(node))
        return 0;
    PyObject *identity = PyLong_FromVoidPtr(optimizer);
    PyObject *key = identity == NULL ? NULL : PyDict_GetItemWithError(update_keys, identity);
    Py_XDECREF(identity);
    if (key == NULL)
        return PyErr_Occurred() ? -1 : 0;
    state->forward_ns = 0;
    progress_ns = state->ended_ns;
    return add(state->counts, key, 1) < 0 ? -1 : 1;
}

/* After one call of an environment's step: (state, node, arguments, result). */
PyObject *count_step(PyObject *module, PyObject *const *arguments, Py_ssize_t number)
{
    int is_done = are_usual(arguments, number)
        ? count_usual_step((StateCore *)arguments[0], (NodeCore *)arguments[1], arguments[3])
        : 0;
    if (is_done < 0)
        return NULL;
    return is_done ? Py_NewRef(Py_None) : leave_to(unusual_step, arguments, number);
}

/* After one call of an optimizer's step: (state, node, arguments, result). */
PyObject *count_update(PyObject *module, PyObject *const *arguments, Py_ssize_t number)
{
    int is_done = are_usual(arguments, number) && PyTuple_GET_SIZE(arguments[2]) > 0
        ? count_usual_update(
              (StateCore *)arguments[0], (NodeCore *)arguments[1], PyTuple_GET_ITEM(arguments[2], 0))
        : 0;
    if (is_done < 0)
        return NULL;
    return is_done ? Py_NewRef(Py_None) : leave_to(unusual_update, arguments, number);
}

PyObject *leave_steps_to(PyObject *module, PyObject *unusual)
{
    Py_XSETREF(unusual_step, Py_NewRef(unusual));
    Py_RETURN_NONE;
}

PyObject *leave_updates_to(PyObject *module, PyObject *arguments)
{
    PyObject *unusual, *keys;
    if (!PyArg_ParseTuple(arguments, "OO!", &unusual, &PyDict_Type, &keys))
        return NULL;
    Py_XSETREF(unusual_update, Py_NewRef(unusual));
    Py_XSETREF(update_keys, Py_NewRef(keys));
    Py_RETURN_NONE;
}

PyObject *set_watched(PyObject *module, PyObject *flag)
{
    is_watched = flag == Py_True;
    Py_RETURN_NONE;
}

PyObject *last_progress_ns(PyObject *module, PyObject *unused)
{
    return PyLong_FromLongLong(progress_ns);
}

PyObject *set_last_progress_ns(PyObject *module, PyObject *time)
{
    long long time_ns = PyLong_AsLongLong(time);
    if (time_ns == -1 && PyErr_Occurred())
        return NULL;
    progress_ns = time_ns;
    Py_RETURN_NONE;
}
