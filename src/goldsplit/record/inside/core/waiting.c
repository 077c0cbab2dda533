/* Waits and messages: spans that name their other side. */
#include "native.h"

static PyObject *name_child, *name_channel, *name_waker;
static PyObject *waiting_stages = NULL, *channel_in_python = NULL, *unknown_command = NULL, *command_keys = NULL;
static long long snapshot_ns = 0;

/* Whether a thread that is at this node waits already: what happens inside is part of it. */
static int waits(NodeCore *node)
{
    if (node->waits == 0) {
        int is_one = node->stage == NULL || waiting_stages == NULL ? 0 : PySet_Contains(waiting_stages, node->stage);
        if (is_one < 0)
            return -1;
        node->waits = is_one ? 1 : -1;
    }
    return node->waits == 1;
}

static int is_same_text(PyObject *one, PyObject *other)
{
    return one == other
        || (one != NULL && other != NULL && PyUnicode_Check(one) && PyUnicode_Check(other)
            && PyUnicode_Compare(one, other) == 0);
}

/* The node for a stage and a detail below a parent, a new reference. */
static NodeCore *child_with_detail(StateCore *state, NodeCore *parent, PyObject *stage, PyObject *detail)
{
    PyObject *key = PyTuple_Pack(2, stage, detail);
    PyObject *found = key == NULL ? NULL : PyDict_GetItemWithError(parent->children, key);
    Py_XDECREF(key);
    if (found != NULL)
        Py_INCREF(found);
    else if (!PyErr_Occurred()) {
        PyObject *arguments[] = {(PyObject *)state, (PyObject *)parent, stage, detail};
        found = PyObject_VectorcallMethod(name_child, arguments, 4 | PY_VECTORCALL_ARGUMENTS_OFFSET, NULL);
    }
    if (found != NULL && !is_node(found)) {
        Py_CLEAR(found);
        PyErr_SetString(PyExc_TypeError, "a child is a node");
    }
    return (NodeCore *)found;
}

PyObject *enter_wait(PyObject *module, PyObject *stage)
{
    StateCore *state = find();
    int is_waiting = state == NULL ? -1 : waits((NodeCore *)state->current);
    if (is_waiting < 0)
        return nothing_instead("the start of a wait");
    if (is_waiting)
        Py_RETURN_NONE;
    return enter(module, stage);
}

/* The span becomes one of the same stage with a detail; what a snapshot has written as open stays where it is. */
static int close_as(StateCore *state, NodeCore *node, PyObject *detail, long long now)
{
    NodeCore *parent = (NodeCore *)node->parent, *other = (NodeCore *)node->other;
    if (other == NULL || !is_same_text(other->detail, detail)) {
        if ((other = child_with_detail(state, parent, node->stage, detail)) == NULL)
            return -1;
        Py_XSETREF(node->other, (PyObject *)other);
    }
    long long t0 = node->t0;
    if (snapshot_ns > t0) {
        node->total_ns += snapshot_ns - t0;
        if (parent->parent == Py_None)
            state->top_ns += snapshot_ns - t0;
        t0 = snapshot_ns;
    }
    open_span(state, other, t0);
    return close_span(state, other, now, 1);
}

/* Close a wait; `detail`, who ended it, may be NULL: not known. */
int leave_wait(NodeCore *node, PyObject *detail)
{
    long long now = read_clock(CLOCK_MONOTONIC);
    node->cpu_from_ns = node->cost_from_ns = 0;
    StateCore *state = find();
    if (state == NULL)
        return -1;
    Py_INCREF(state);
    int is_innermost = state->current == (PyObject *)node && is_node(node->parent);
    int is_named = detail != NULL && PyUnicode_Check(detail) && PyUnicode_GET_LENGTH(detail) > 0;
    int failed = is_innermost && is_named ? close_as(state, node, detail, now) : close_span(state, node, now, 1);
    Py_DECREF(state);
    return failed;
}

PyObject *leave_as(PyObject *module, PyObject *const *arguments, Py_ssize_t number)
{
    if (number != 2 || !is_node(arguments[0]) || !PyUnicode_Check(arguments[1]))
        return PyErr_Format(PyExc_TypeError, "leave_as takes a node and a text");
    if (leave_wait((NodeCore *)arguments[0], arguments[1]) < 0)
        return nothing_instead("the end of a wait");
    Py_RETURN_NONE;
}

/* The name of a pipe's end, which it keeps as an attribute; a new reference. */
static PyObject *channel_of(PyObject *connection)
{
    PyObject *channel = PyObject_GetAttr(connection, name_channel);
    if (channel != NULL || !PyErr_ExceptionMatches(PyExc_AttributeError) || channel_in_python == NULL)
        return channel;
    PyErr_Clear();
    return PyObject_CallOneArg(channel_in_python, connection);
}

PyObject *enter_end(PyObject *module, PyObject *const *arguments, Py_ssize_t number)
{
    if (number != 2)
        return PyErr_Format(PyExc_TypeError, "enter_end takes a stage and a connection");
    StateCore *state = find();
    if (state == NULL)
        return nothing_instead("a message");
    NodeCore *parent = (NodeCore *)state->current;
    int is_waiting = waits(parent);
    if (is_waiting < 0)
        return nothing_instead("a message");
    int is_inside = parent->stage == arguments[0] && parent->detail != NULL && PyUnicode_Check(parent->detail)
        && PyUnicode_GET_LENGTH(parent->detail) > 0;
    if (is_waiting || is_inside)
        Py_RETURN_NONE;
    PyObject *channel = channel_of(arguments[1]);
    if (channel == NULL) { /* closed: the real method says so better */
        if (!PyErr_ExceptionMatches(PyExc_OSError))
            return nothing_instead("the name of a pipe");
        PyErr_Clear();
        Py_RETURN_NONE;
    }
    Py_INCREF(state);
    Py_INCREF(parent);
    NodeCore *node = child_with_detail(state, parent, arguments[0], channel);
    if (node != NULL && at_border(state, node, 0) < 0)
        node = NULL;
    if (node != NULL)
        open_span(state, node, NOW);
    Py_DECREF(parent);
    Py_DECREF(state);
    Py_DECREF(channel);
    return node == NULL ? nothing_instead("a message") : (PyObject *)node;
}

/* Count a message of the usual shape (command, argument) by its command, if that is known already. */
PyObject *count_command(PyObject *module, PyObject *message)
{
    if (!PyTuple_CheckExact(message) || PyTuple_GET_SIZE(message) == 0
        || !PyUnicode_CheckExact(PyTuple_GET_ITEM(message, 0)))
        Py_RETURN_NONE;
    PyObject *key = command_keys == NULL ? NULL : PyDict_GetItemWithError(command_keys, PyTuple_GET_ITEM(message, 0));
    if (key != NULL)
        return count_one(module, key);
    if (PyErr_Occurred())
        return NULL;
    return unknown_command == NULL ? Py_NewRef(Py_None) : PyObject_CallOneArg(unknown_command, message);
}

PyObject *leave_commands_to(PyObject *module, PyObject *arguments)
{
    PyObject *unknown, *keys;
    if (!PyArg_ParseTuple(arguments, "OO!", &unknown, &PyDict_Type, &keys))
        return NULL;
    Py_XSETREF(unknown_command, Py_NewRef(unknown));
    Py_XSETREF(command_keys, Py_NewRef(keys));
    Py_RETURN_NONE;
}

PyObject *set_up_waiting(PyObject *module, PyObject *arguments)
{
    PyObject *stages, *channel;
    if (!PyArg_ParseTuple(arguments, "O!O", &PyFrozenSet_Type, &stages, &channel))
        return NULL;
    Py_XSETREF(waiting_stages, Py_NewRef(stages));
    Py_XSETREF(channel_in_python, Py_NewRef(channel));
    Py_RETURN_NONE;
}

PyObject *set_snapshot_ns(PyObject *module, PyObject *time)
{
    long long time_ns = PyLong_AsLongLong(time);
    if (time_ns == -1 && PyErr_Occurred())
        return NULL;
    snapshot_ns = time_ns;
    Py_RETURN_NONE;
}

/* Before a condition is notified: leave our name there, for the thread that it wakes. */
PyObject *call_as_waker(PyObject *callable, PyObject *const *arguments, size_t number, PyObject *names)
{
    PyObject *waker = name_of_thread();
    int failed = waker == NULL
        || (PyVectorcall_NARGS(number) > 0 && PyObject_SetAttr(arguments[0], name_waker, waker) < 0);
    Py_XDECREF(waker);
    if (failed)
        return call_unseen((CallWrapper *)callable, arguments, number, names);
    return PyObject_Vectorcall(((CallWrapper *)callable)->real, arguments, number, names);
}

/* A method of an object and a buffer: count the call, and the buffer's length. */
PyObject *call_with_size(PyObject *callable, PyObject *const *arguments, size_t number, PyObject *names)
{
    CallWrapper *self = (CallWrapper *)callable;
    StateCore *state = find();
    if (state == NULL)
        return call_unseen(self, arguments, number, names);
    if (PyVectorcall_NARGS(number) > 1) {
        Py_ssize_t size = PyObject_Size(arguments[1]);
        if (size < 0 || add(state->counts, self->key, 1) < 0 || add(state->counts, self->other, size) < 0)
            return call_unseen(self, arguments, number, names);
    }
    return PyObject_Vectorcall(self->real, arguments, number, names);
}

int set_up_names_of_waiting(void)
{
    return (name_child = PyUnicode_InternFromString("child")) != NULL
        && (name_channel = PyUnicode_InternFromString("_goldsplit_channel")) != NULL
        && (name_waker = PyUnicode_InternFromString("_goldsplit_waker")) != NULL;
}
