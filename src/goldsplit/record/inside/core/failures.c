/* Goldsplit's own code has failed inside the user's program: the program goes on. */
#include "native.h"

static PyObject *count_in_python = NULL;

static PyObject *place_of(PyObject *callable, const char *place)
{
    return callable == NULL ? PyUnicode_FromString(place) : Py_NewRef(callable);
}

/* Whether an error is the program's own: a signal's handler raised it while our code ran. -1: it was interrupted. */
static int is_of_the_program(PyObject *callable, const char *place, PyObject *error)
{
    if (count_in_python == NULL)
        return 0;
    PyObject *where = place_of(callable, place);
    PyObject *answer = where == NULL ? NULL : PyObject_CallFunctionObjArgs(count_in_python, where, error, NULL);
    Py_XDECREF(where);
    int is_counted = answer == NULL ? -1 : answer == Py_True;
    Py_XDECREF(answer);
    if (is_counted >= 0)
        return !is_counted;
    if (!PyErr_ExceptionMatches(PyExc_Exception))
        return -1;
    PyErr_Clear();
    return 0;
}

/* 1: what our code has raised, in a callable or at a place, is counted and gone. 0: it goes on, because it is no
 * failure of ours: Ctrl-C, an exit, an error that a signal's handler of the program has raised. */
__attribute__((cold)) int swallow(PyObject *callable, const char *place)
{
    if (!PyErr_Occurred())
        return 1;
    if (!PyErr_ExceptionMatches(PyExc_Exception))
        return 0;
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    PyErr_NormalizeException(&type, &value, &traceback);
    if (traceback != NULL && value != NULL && PyException_SetTraceback(value, traceback) < 0)
        PyErr_Clear();
    int goes_on = value == NULL ? 0 : is_of_the_program(callable, place, value);
    if (goes_on == 1) {
        PyErr_Restore(type, value, traceback);
        return 0;
    }
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(traceback);
    return goes_on == 0;
}

/* None, or NULL with an error that goes on. */
__attribute__((cold)) PyObject *nothing_instead(const char *place)
{
    return swallow(NULL, place) ? Py_NewRef(Py_None) : NULL;
}

/* (where, error): the same from Python. */
PyObject *swallow_from_python(PyObject *module, PyObject *const *arguments, Py_ssize_t number)
{
    if (number != 2)
        return PyErr_Format(PyExc_TypeError, "swallow takes a place and an error");
    return count_in_python == NULL ? Py_NewRef(Py_True) : PyObject_Vectorcall(count_in_python, arguments, 2, NULL);
}

PyObject *leave_failures_to(PyObject *module, PyObject *count)
{
    Py_XSETREF(count_in_python, Py_NewRef(count));
    Py_RETURN_NONE;
}
