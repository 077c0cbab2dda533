/* A function that calls itself very often must not have a wrapper: in Python such calls use no stack of the process,
 * through us they do. */
#define _GNU_SOURCE /* first: for pthread_getattr_np */
#include "native.h"
#include <pthread.h>

static PyObject *aside_in_python = NULL;

/* The middle of this thread's stack, which grows downwards; NULL if the system does not tell. */
__attribute__((cold)) char *half_of_stack(void)
{
    pthread_attr_t attributes;
    void *lowest = NULL;
    size_t size = 0;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0)
        return NULL;
    int failed = pthread_attr_getstack(&attributes, &lowest, &size);
    pthread_attr_destroy(&attributes);
    return failed ? NULL : (char *)lowest + size / 2;
}

/* Take a wrapper away, so that the calls inside this one go to the function itself; 0: an error goes on. */
__attribute__((cold)) int step_aside(PyObject *wrapper)
{
    PyObject *answer = aside_in_python == NULL ? Py_NewRef(Py_None) : PyObject_CallOneArg(aside_in_python, wrapper);
    Py_XDECREF(answer);
    return answer != NULL || swallow(NULL, "a deep recursion");
}

PyObject *step_aside_from_python(PyObject *module, PyObject *wrapper)
{
    return step_aside(wrapper) ? Py_NewRef(Py_None) : NULL;
}

PyObject *leave_recursion_to(PyObject *module, PyObject *aside)
{
    Py_XSETREF(aside_in_python, Py_NewRef(aside));
    Py_RETURN_NONE;
}
