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
        : Py_IS_TYPE(after, RareCall_Type)                             ? LOOK_RARELY
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

/* What our own code does after a call; 0: an error goes on that is not ours. */
static int end_call_span(
    CallWrapper *self, NodeCore *node, PyObject *const *arguments, size_t number, PyObject *result, long long now)
{
    StateCore *state = find();
    if (state == NULL)
        return swallow(NULL, "the end of a span");
    Py_INCREF(state);
    long long from_ns = leave_span(state, node, now, 1);
    int is_well = from_ns >= 0 || swallow(NULL, "the end of a span");
    if (is_well && from_ns >= 0 && result != NULL) {
        is_well = after_span(self, state, node, arguments, number, result) == 0 || swallow(self->other, NULL);
        if (is_well && from_ns > 0 && end_sample(state, from_ns) < 0)
            is_well = swallow(NULL, "the cost of a span");
    }
    Py_DECREF(state);
    return is_well;
}

/* What the program raised before goes on after our code; unless Ctrl-C or the like came meanwhile. */
static void raise_again(int is_well, PyObject *type, PyObject *value, PyObject *traceback)
{
    if (is_well) {
        PyErr_Restore(type, value, traceback);
        return;
    }
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(traceback);
}

/* Close a span after a call; the call's result or error is given back as it is. */
static PyObject *close_after_call(CallWrapper *self, NodeCore *node, PyObject *const *arguments, size_t number, PyObject *result)
{
    long long now = read_clock(CLOCK_MONOTONIC);
    PyObject *type = NULL, *value = NULL, *traceback = NULL;
    if (result == NULL)
        PyErr_Fetch(&type, &value, &traceback);
    int is_well = end_call_span(self, node, arguments, number, result, now);
    if (result == NULL)
        raise_again(is_well, type, value, traceback);
    else if (!is_well)
        Py_CLEAR(result);
    return result;
}

/* A function; each call is a span of a stage: (real, stage, after, before). Inside the same stage there is none. */
PyObject *call_span(PyObject *callable, PyObject *const *arguments, size_t number, PyObject *names)
{
    CallWrapper *self = (CallWrapper *)callable;
    StateCore *state = find();
    if (state == NULL)
        return call_unseen(self, arguments, number, names);
    if (is_deep() && !step_aside(callable))
        return NULL;
    if (self->third != Py_None) {
        PyObject *answer = PyObject_CallOneArg(self->third, (PyObject *)state);
        Py_XDECREF(answer);
        if (answer == NULL && !swallow(self->third, NULL))
            return NULL;
        if ((state = find()) == NULL)
            return call_unseen(self, arguments, number, names);
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
        return call_unseen(self, arguments, number, names);
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
    if (found == NULL && PyErr_ExceptionMatches(PyExc_AttributeError))
        PyErr_Clear();
    if (found == NULL)
        return swallow(NULL, "what is waited for") ? 0 : -1;
    Py_DECREF(found);
    return found == value;
}

/* Whether a call is no wait: it may take no time, or nothing is left to wait for; -1: an error goes on. */
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

/* Close a wait while an error goes on that is not ours. */
__attribute__((cold)) static int leave_interrupted(NodeCore *node)
{
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    if (leave_wait(node, NULL) < 0)
        PyErr_Clear();
    PyErr_Restore(type, value, traceback);
    return 0;
}

/* A method that waits: (real, stage, detail_of, unless). After the call `detail_of` says of the object who ended the
 * wait; `unless` is a tuple where the first argument is a time (zero: no wait), with an attribute and a value that the
 * object has when nothing is left to wait for. */
PyObject *call_wait(PyObject *callable, PyObject *const *arguments, size_t number, PyObject *names)
{
    CallWrapper *self = (CallWrapper *)callable;
    int is_quick = is_no_wait(self, arguments, PyVectorcall_NARGS(number));
    if (is_quick)
        return is_quick < 0 ? NULL : PyObject_Vectorcall(self->real, arguments, number, names);
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
        if (detail == NULL && PyErr_ExceptionMatches(PyExc_AttributeError)) /* nobody has left a name there */
            PyErr_Clear();
        int is_well = detail != NULL || swallow(self->other, NULL);
        is_well = is_well ? leave_wait((NodeCore *)node, detail) == 0 || swallow(NULL, "the end of a wait")
                          : leave_interrupted((NodeCore *)node);
        Py_XDECREF(detail);
        if (!is_well)
            Py_CLEAR(result);
        raise_again(is_well, type, value, traceback);
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
    int is_well = looked != NULL || swallow(self->other, NULL);
    PyObject *result = is_well ? PyObject_Vectorcall(self->real, arguments, number, names) : NULL;
    Py_XDECREF(looked);
    PyObject *type = NULL, *value = NULL, *traceback = NULL;
    if (result == NULL)
        PyErr_Fetch(&type, &value, &traceback);
    PyObject *left = leave(NULL, &node, 1);
    if (result == NULL)
        raise_again(left != NULL, type, value, traceback);
    else if (left == NULL)
        Py_CLEAR(result);
    Py_XDECREF(left);
    Py_DECREF(node);
    return result;
}
