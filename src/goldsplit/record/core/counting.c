/* Count: calls, environment steps, updates. */
#include "native.h"

/* As in counting.py. */
#define LOOK_AT_STEP_EVERY 256
#define LOOK_AT_STEP 40

static PyObject *unusual_step = NULL, *unusual_update = NULL, *update_keys = NULL;
static int is_watched = 0; /* somebody wants to hear of every step and update: then all are unusual */
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
        return NULL;
    Py_RETURN_NONE;
}

static int is_flag(PyObject *value)
{
    return PyBool_Check(value) || strncmp(Py_TYPE(value)->tp_name, "numpy.bool", 10) == 0;
}

/* Whether the episode ended with this step: 0, 1; -1 for a result that is not of the most usual shapes,
 * (observation, reward, terminated, truncated, info) or with one `done`, each of them a bool. */
static int ended(PyObject *result)
{
    if (!PyTuple_CheckExact(result) || PyTuple_GET_SIZE(result) < 3)
        return -1;
    PyObject *done = PyTuple_GET_ITEM(result, 2);
    PyObject *cut = PyTuple_GET_SIZE(result) >= 5 ? PyTuple_GET_ITEM(result, 3) : Py_False;
    if (!is_flag(done) || !is_flag(cut))
        return -1;
    int is_done = PyObject_IsTrue(done);
    return is_done ? is_done : PyObject_IsTrue(cut);
}

static PyObject *leave_to(PyObject *python, PyObject *const *arguments, Py_ssize_t number)
{
    if (python == NULL)
        return PyErr_Format(PyExc_RuntimeError, "goldsplit's hooks are not there yet");
    return PyObject_Vectorcall(python, arguments, number, NULL);
}

static int are_usual(PyObject *const *arguments, Py_ssize_t number)
{
    return number == 4 && PyObject_TypeCheck(arguments[0], &StateCore_Type) && is_node(arguments[1])
        && PyTuple_Check(arguments[2]);
}

/* Count one call of an environment's step; 1: done, 0: it is left to Python, -1: failed. */
int count_usual_step(StateCore *state, NodeCore *node, PyObject *result)
{
    int has_ended = is_watched ? -1 : ended(result);
    if (has_ended < 0 || node->steps_key == NULL || node->steps_key == Py_None
        || node->count % LOOK_AT_STEP_EVERY == LOOK_AT_STEP)
        return 0;
    settle(state, 0);
    state->forward_ns = 0;
    progress_ns = state->ended_ns;
    if (add(state->counts, node->steps_key, 1) < 0)
        return -1;
    return has_ended && add(state->counts, node->episodes_key, 1) < 0 ? -1 : 1;
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
