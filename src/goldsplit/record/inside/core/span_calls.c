/* Callables; each call is a span, without a Python frame of its own. */
#include "native.h"

/* What is called after a span: (state, node, arguments, result). */
__attribute__((cold)) static int call_after(
    PyObject *after, StateCore *state, NodeCore *node, PyObject *const *arguments, Py_ssize_t number, PyObject *result)
{
    PyObject *tuple = PyTuple_New(number);
    if (tuple == NULL)
        return -1;
    for (Py_ssize_t i = 0; i < number; i++)
        PyTuple_SET_ITEM(tuple, i, Py_NewRef(arguments[i]));
    PyObject *given[] = {(PyObject *)state, (PyObject *)node, tuple, result};
    PyObject *answer = PyObject_Vectorcall(after, given, 4, NULL);
    Py_DECREF(tuple);
    Py_XDECREF(answer);
    return answer == NULL ? -1 : 0;
}

static int is_function(PyObject *object, PyCFunction function)
{
    return PyCFunction_Check(object) && PyCFunction_GET_FUNCTION(object) == function;
}

After kind_of_after(PyObject *after)
{
    return after == Py_None                                             ? NOTHING
        : is_function(after, (PyCFunction)(void (*)(void))count_step)   ? COUNT_STEP
        : is_function(after, (PyCFunction)(void (*)(void))count_update) ? COUNT_UPDATE
        : Py_IS_TYPE(after, &RareCall_Type)                             ? LOOK_RARELY
                                                                        : CALL;
}

static int after_span(CallWrapper *self, StateCore *state, NodeCore *node, PyObject *const *arguments, size_t number, PyObject *result)
{
    Py_ssize_t positional = PyVectorcall_NARGS(number);
    int is_done = 0;
    if (self->after == NOTHING || (self->after == LOOK_RARELY && !is_due(node)))
        return 0;
    if (self->after == COUNT_STEP)
        is_done = count_usual_step(state, node, result);
    else if (self->after == COUNT_UPDATE && positional > 0)
        is_done = count_usual_update(state, node, arguments[0]);
    return is_done ? (is_done < 0 ? -1 : 0) : call_after(self->other, state, node, arguments, positional, result);
}

/* Close a span after a call. What the program raised goes on, whatever happens here. */
static PyObject *close_after_call(CallWrapper *self, NodeCore *node, PyObject *const *arguments, size_t number, PyObject *result)
{
    long long now = read_clock(CLOCK_MONOTONIC);
    PyObject *type = NULL, *value = NULL, *traceback = NULL;
    if (result == NULL)
        PyErr_Fetch(&type, &value, &traceback);
    StateCore *state = find();
    Py_XINCREF(state);
    long long from_ns = state == NULL ? -1 : leave_span(state, node, now, 1);
    int failed = from_ns < 0;
    if (!failed && result != NULL)
        failed = after_span(self, state, node, arguments, number, result) < 0
            || (from_ns > 0 && end_sample(state, from_ns) < 0);
    Py_XDECREF(state);
    if (result == NULL)
        PyErr_Restore(type, value, traceback);
    else if (failed)
        Py_CLEAR(result);
    return result;
}

/* A function; each call is a span of a stage: (real, stage, after, before). Inside the same stage there is none. */
PyObject *call_span(PyObject *callable, PyObject *const *arguments, size_t number, PyObject *names)
{
    CallWrapper *self = (CallWrapper *)callable;
    StateCore *state = find();
    if (state == NULL)
        return NULL;
    if (self->third != Py_None) {
        PyObject *answer = PyObject_CallOneArg(self->third, (PyObject *)state);
        Py_XDECREF(answer);
        if (answer == NULL || (state = find()) == NULL)
            return NULL;
    }
    NodeCore *parent = (NodeCore *)state->current;
    if (parent->stage == self->key)
        return PyObject_Vectorcall(self->real, arguments, number, names);
    Py_INCREF(state);
    Py_INCREF(parent);
    NodeCore *node = (NodeCore *)Py_XNewRef(open_stage(state, parent, self->key));
    Py_DECREF(parent);
    Py_DECREF(state);
    if (node == NULL)
        return NULL;
    PyObject *result = PyObject_Vectorcall(self->real, arguments, number, names);
    result = close_after_call(self, node, arguments, number, result);
    Py_DECREF(node);
    return result;
}

static int is_zero(PyObject *number)
{
    int is_large = 0;
    if (PyFloat_CheckExact(number))
        return PyFloat_AS_DOUBLE(number) == 0.0;
    return number == Py_False
        || (PyLong_CheckExact(number) && PyLong_AsLongAndOverflow(number, &is_large) == 0 && !is_large);
}

/* Whether what is waited for is there already: the object has this attribute with this very value. */
static int is_there(PyObject *object, PyObject *name, PyObject *value)
{
    PyObject *found = PyObject_GetAttr(object, name);
    if (found == NULL)
        PyErr_Clear();
    Py_XDECREF(found);
    return found == value;
}

/* Whether a call is no wait: it may take no time, or nothing is left to wait for. */
static int is_no_wait(CallWrapper *self, PyObject *const *arguments, Py_ssize_t number)
{
    PyObject *unless = self->third;
    if (!PyTuple_Check(unless) || number == 0)
        return 0;
    if (number > 1 && is_zero(arguments[1]))
        return 1;
    return PyTuple_GET_SIZE(unless) == 2
        && is_there(arguments[0], PyTuple_GET_ITEM(unless, 0), PyTuple_GET_ITEM(unless, 1));
}

/* A method that waits: (real, stage, detail_of, unless). After the call `detail_of` says of the object who ended the
 * wait; `unless` is a tuple where the first argument is a time (zero: no wait), with an attribute and a value that the
 * object has when nothing is left to wait for. */
PyObject *call_wait(PyObject *callable, PyObject *const *arguments, size_t number, PyObject *names)
{
    CallWrapper *self = (CallWrapper *)callable;
    if (is_no_wait(self, arguments, PyVectorcall_NARGS(number)))
        return PyObject_Vectorcall(self->real, arguments, number, names);
    PyObject *node = enter_wait(NULL, self->key);
    if (node == NULL)
        return NULL;
    PyObject *result = PyObject_Vectorcall(self->real, arguments, number, names);
    if (node != Py_None) {
        PyObject *type, *value, *traceback;
        PyErr_Fetch(&type, &value, &traceback);
        PyObject *detail = self->other != Py_None && PyVectorcall_NARGS(number) > 0
            ? PyObject_CallOneArg(self->other, arguments[0])
            : NULL;
        if (leave_wait((NodeCore *)node, detail) < 0 && type == NULL)
            Py_CLEAR(result);
        if (result != NULL || type != NULL)
            PyErr_Restore(type, value, traceback);
        Py_XDECREF(detail);
    }
    Py_DECREF(node);
    return result;
}

/* A method of a pipe's end: (real, stage, look); `look` is given the message. */
PyObject *call_end(PyObject *callable, PyObject *const *arguments, size_t number, PyObject *names)
{
    CallWrapper *self = (CallWrapper *)callable;
    Py_ssize_t positional = PyVectorcall_NARGS(number);
    PyObject *given[] = {self->key, positional > 0 ? arguments[0] : Py_None};
    PyObject *node = positional > 0 ? enter_end(NULL, given, 2) : Py_NewRef(Py_None);
    if (node == NULL)
        return NULL;
    if (node == Py_None) {
        Py_DECREF(node);
        return PyObject_Vectorcall(self->real, arguments, number, names);
    }
    PyObject *looked = self->other != Py_None && positional > 1 ? PyObject_CallOneArg(self->other, arguments[1])
                                                                  : Py_NewRef(Py_None);
    PyObject *result = looked == NULL ? NULL : PyObject_Vectorcall(self->real, arguments, number, names);
    Py_XDECREF(looked);
    PyObject *type = NULL, *value = NULL, *traceback = NULL;
    if (result == NULL)
        PyErr_Fetch(&type, &value, &traceback);
    PyObject *left = leave(NULL, &node, 1);
    if (result == NULL)
        PyErr_Restore(type, value, traceback);
    else if (left == NULL)
        Py_CLEAR(result);
    Py_XDECREF(left);
    Py_DECREF(node);
    return result;
}
