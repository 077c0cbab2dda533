/* Callables that take the place of a method, without a Python frame of their own. */
#include "native.h"

static PyObject *name_call_impl;

/* Count a call, then make it. */
static PyObject *call_counted(PyObject *callable, PyObject *const *arguments, size_t number, PyObject *names)
{
    Around *self = (Around *)callable;
    StateCore *state = find();
    if (state == NULL || add(state->counts, self->key, 1) < 0)
        return NULL;
    return PyObject_Vectorcall(self->real, arguments, number, names);
}

/* Inside a forward pass a layer is called as torch would, but for a function of torch's own that only looks for
 * a compiled module; the outermost module's call is a span, for which `real` has a frame. */
static PyObject *call_forward(PyObject *callable, PyObject *const *arguments, size_t number, PyObject *names)
{
    StateCore *state = find();
    if (state == NULL)
        return NULL;
    if (state->in_forward && PyVectorcall_NARGS(number) > 0)
        return PyObject_VectorcallMethod(name_call_impl, arguments, number, names);
    return PyObject_Vectorcall(((Around *)callable)->real, arguments, number, names);
}

static vectorcallfunc vectorcall_of(PyTypeObject *type)
{
    return type == &CountedCall_Type        ? call_counted
        : type == &ForwardCall_Type         ? call_forward
        : type == &UnlessWaitingCall_Type   ? call_unless_waiting
        : type == &WakerCall_Type           ? call_as_waker
                                            : call_with_size;
}

/* (real), (real, key) or (real, key, other); what the last two are is for each kind to say. */
static PyObject *around_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords)
{
    PyObject *real, *key = Py_None, *other = Py_None;
    if (!PyArg_ParseTuple(arguments, "O|OO", &real, &key, &other))
        return NULL;
    Around *self = (Around *)type->tp_alloc(type, 0);
    if (self == NULL)
        return NULL;
    self->vectorcall = vectorcall_of(type);
    self->real = Py_NewRef(real);
    self->key = Py_NewRef(key);
    self->other = Py_NewRef(type == &UnlessWaitingCall_Type ? key : other);
    return (PyObject *)self;
}

static int around_traverse(Around *self, visitproc visit, void *arg)
{
    Py_VISIT(self->real);
    Py_VISIT(self->key);
    Py_VISIT(self->other);
    return 0;
}

static int around_clear(Around *self)
{
    Py_CLEAR(self->real);
    Py_CLEAR(self->key);
    Py_CLEAR(self->other);
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

/* Names are those of what is called. */
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
PyTypeObject UnlessWaitingCall_Type = AROUND("unless_waiting");
PyTypeObject WakerCall_Type = AROUND("waker_call");
PyTypeObject SizedCall_Type = AROUND("sized_call");

int set_up_around(void)
{
    return (name_call_impl = PyUnicode_InternFromString("_call_impl")) != NULL;
}
