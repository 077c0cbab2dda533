/* Count: calls, environment steps, updates. */
#include "native.h"

/* As `EVERY` of callers.py: so often an update is looked at from where it came. */
#define LOOK_AT_UPDATE_EVERY 17
/* As LOOK_EVERY and LOOK_AT of messages.py: so often a step's info is looked at. */
#define LOOK_AT_STEP_EVERY 256
#define LOOK_AT_STEP 40

static PyObject *one, *name_call_impl;
static PyObject *unusual_step = NULL, *unusual_update = NULL, *update_keys = NULL;
static int is_watched = 0; /* somebody wants to hear of every step and update: then all are unusual */
static long long progress_ns = 0; /* when the last step or update ended */

static int add_one(PyObject *counts, PyObject *key)
{
    PyObject *before = PyDict_GetItemWithError(counts, key);
    if (before == NULL && PyErr_Occurred())
        return -1;
    PyObject *after = before == NULL ? Py_NewRef(one) : PyNumber_Add(before, one);
    int failed = after == NULL || PyDict_SetItem(counts, key, after) < 0;
    Py_XDECREF(after);
    return failed ? -1 : 0;
}

PyObject *count_one(PyObject *module, PyObject *key)
{
    StateCore *state = find();
    if (state == NULL || add_one(state->counts, key) < 0)
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
    if (!PyTuple_CheckExact(result) || PyTuple_GET_SIZE(result) < 4)
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

/* After one call of an environment's step: (state, node, arguments, result). */
PyObject *count_step(PyObject *module, PyObject *const *arguments, Py_ssize_t number)
{
    if (is_watched || !are_usual(arguments, number))
        return leave_to(unusual_step, arguments, number);
    StateCore *state = (StateCore *)arguments[0];
    NodeCore *node = (NodeCore *)arguments[1];
    int has_ended = ended(arguments[3]);
    if (has_ended < 0 || node->steps_key == NULL || node->steps_key == Py_None
        || node->count % LOOK_AT_STEP_EVERY == LOOK_AT_STEP)
        return leave_to(unusual_step, arguments, number);
    settle(state, 0);
    state->forward_ns = 0;
    progress_ns = state->ended_ns;
    if (add_one(state->counts, node->steps_key) < 0)
        return NULL;
    if (has_ended && add_one(state->counts, node->episodes_key) < 0)
        return NULL;
    Py_RETURN_NONE;
}

/* After one call of an optimizer's step: (state, node, arguments, result). */
PyObject *count_update(PyObject *module, PyObject *const *arguments, Py_ssize_t number)
{
    if (is_watched || !are_usual(arguments, number) || PyTuple_GET_SIZE(arguments[2]) == 0)
        return leave_to(unusual_update, arguments, number);
    StateCore *state = (StateCore *)arguments[0];
    PyObject *optimizer = PyLong_FromVoidPtr(PyTuple_GET_ITEM(arguments[2], 0));
    if (optimizer == NULL)
        return NULL;
    PyObject *key = update_keys == NULL ? NULL : PyDict_GetItemWithError(update_keys, optimizer);
    Py_DECREF(optimizer);
    if (PyErr_Occurred())
        return NULL;
    if (key == NULL || ((NodeCore *)arguments[1])->count % LOOK_AT_UPDATE_EVERY == 1)
        return leave_to(unusual_update, arguments, number);
    state->forward_ns = 0;
    progress_ns = state->ended_ns;
    if (add_one(state->counts, key) < 0)
        return NULL;
    Py_RETURN_NONE;
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

/* Callables that take the place of a method, without a Python frame of their own. */

typedef struct {
    PyObject_HEAD
    vectorcallfunc vectorcall;
    PyObject *real;
    PyObject *key;
} Around;

/* Count a call, then make it. */
static PyObject *counted_call(PyObject *callable, PyObject *const *arguments, size_t number, PyObject *names)
{
    Around *self = (Around *)callable;
    StateCore *state = find();
    if (state == NULL || add_one(state->counts, self->key) < 0)
        return NULL;
    return PyObject_Vectorcall(self->real, arguments, number, names);
}

/* Inside a forward pass a layer is called as torch would, but for a function of torch's own that only looks for
 * a compiled module; the outermost module's call is a span, for which `real` has a frame. */
static PyObject *forward_call(PyObject *callable, PyObject *const *arguments, size_t number, PyObject *names)
{
    StateCore *state = find();
    if (state == NULL)
        return NULL;
    if (state->in_forward && PyVectorcall_NARGS(number) > 0)
        return PyObject_VectorcallMethod(name_call_impl, arguments, number, names);
    return PyObject_Vectorcall(((Around *)callable)->real, arguments, number, names);
}

static PyObject *around_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords)
{
    PyObject *real, *key = Py_None;
    if (!PyArg_ParseTuple(arguments, "O|O", &real, &key))
        return NULL;
    Around *self = (Around *)type->tp_alloc(type, 0);
    if (self == NULL)
        return NULL;
    self->vectorcall = type == &ForwardCall_Type ? forward_call : counted_call;
    self->real = Py_NewRef(real);
    self->key = Py_NewRef(key);
    return (PyObject *)self;
}

static int around_traverse(Around *self, visitproc visit, void *arg)
{
    Py_VISIT(self->real);
    Py_VISIT(self->key);
    return 0;
}

static int around_clear(Around *self)
{
    Py_CLEAR(self->real);
    Py_CLEAR(self->key);
    return 0;
}

static void around_dealloc(Around *self)
{
    PyObject_GC_UnTrack(self);
    around_clear(self);
    Py_TYPE(self)->tp_free((PyObject *)self);
}

static PyObject *around_get(PyObject *self, PyObject *object, PyObject *type)
{
    return object == NULL || object == Py_None ? Py_NewRef(self) : PyMethod_New(self, object);
}

/* Names and documentation are those of what is called. */
static PyObject *around_attribute(PyObject *self, PyObject *name)
{
    PyObject *found = PyObject_GenericGetAttr(self, name);
    if (found != NULL || !PyErr_ExceptionMatches(PyExc_AttributeError))
        return found;
    PyErr_Clear();
    return PyObject_GetAttr(((Around *)self)->real, name);
}

static PyObject *around_doc(Around *self, void *unused)
{
    return PyObject_GetAttrString(self->real, "__doc__");
}

static PyMemberDef around_members[] = {
    {"__wrapped__", T_OBJECT, offsetof(Around, real), READONLY, NULL},
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(Around, vectorcall), READONLY, NULL},
    {NULL},
};

static PyGetSetDef around_getset[] = {
    {"__doc__", (getter)around_doc, NULL, NULL, NULL},
    {NULL},
};

#define AROUND(type_name)                                                                                     \
    {                                                                                                         \
        PyVarObject_HEAD_INIT(NULL, 0).tp_name = "goldsplit.record.core._native." type_name,                  \
        .tp_basicsize = sizeof(Around),                                                                       \
        .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL                      \
                  | Py_TPFLAGS_METHOD_DESCRIPTOR,                                                             \
        .tp_vectorcall_offset = offsetof(Around, vectorcall), .tp_call = PyVectorcall_Call,                   \
        .tp_new = around_new, .tp_traverse = (traverseproc)around_traverse,                                   \
        .tp_clear = (inquiry)around_clear, .tp_dealloc = (destructor)around_dealloc,                          \
        .tp_descr_get = around_get, .tp_getattro = around_attribute, .tp_members = around_members,            \
        .tp_getset = around_getset,                                                                           \
    }

PyTypeObject CountedCall_Type = AROUND("counted_call");
PyTypeObject ForwardCall_Type = AROUND("forward_call");

int set_up_counting(void)
{
    return (one = PyLong_FromLong(1)) != NULL
        && (name_call_impl = PyUnicode_InternFromString("_call_impl")) != NULL;
}
