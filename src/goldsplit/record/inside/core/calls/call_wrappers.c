/* Callables that take the place of a method, without a Python frame of their own. */
#include "native.h"

static PyObject *name_module;

/* Our own code has failed before the call: it is made as if we were not there. */
__attribute__((cold)) PyObject *call_unseen(
    CallWrapper *self, PyObject *const *arguments, size_t number, PyObject *names)
{
    return swallow(NULL, "before a call") ? PyObject_Vectorcall(self->real, arguments, number, names) : NULL;
}

/* Count a call, then make it. */
static PyObject *call_counted(PyObject *callable, PyObject *const *arguments, size_t number, PyObject *names)
{
    CallWrapper *self = (CallWrapper *)callable;
    StateCore *state = find();
    if (state == NULL || add(state->counts, self->key, 1) < 0)
        return call_unseen(self, arguments, number, names);
    return PyObject_Vectorcall(self->real, arguments, number, names);
}

/* What may be called after a span: (state, node, arguments, result). */
static PyObject *call_rarely(PyObject *callable, PyObject *const *arguments, size_t number, PyObject *names)
{
    if (PyVectorcall_NARGS(number) == 4 && is_node(arguments[1]) && !is_due((NodeCore *)arguments[1]))
        Py_RETURN_NONE;
    return PyObject_Vectorcall(((CallWrapper *)callable)->real, arguments, number, names);
}

static vectorcallfunc vectorcall_of(PyTypeObject *type)
{
    return type == SpanCall_Type  ? call_span
        : type == ForwardCall_Type ? call_forward
        : type == WaitCall_Type    ? call_wait
        : type == EndCall_Type     ? call_end
        : type == RareCall_Type    ? call_rarely
        : type == WakerCall_Type   ? call_as_waker
        : type == SizedCall_Type   ? call_with_size
        : type == WatchedCall_Type || type == BareWatchedCall_Type ? call_watched
                                    : call_counted;
}

/* (real) and up to three more; each kind says what they are. */
static PyObject *wrapper_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords)
{
    PyObject *real, *key = Py_None, *other = Py_None, *third = Py_None;
    if (!PyArg_ParseTuple(arguments, "O|OOO", &real, &key, &other, &third))
        return NULL;
    if (vectorcall_of(type) == call_watched && !PyObject_TypeCheck(other, WatchedCore_Type))
        return PyErr_Format(PyExc_TypeError, "calls are counted in a WatchedCore");
    CallWrapper *self = (CallWrapper *)type->tp_alloc(type, 0);
    if (self == NULL)
        return NULL;
    self->vectorcall = vectorcall_of(type);
    self->real = Py_NewRef(real);
    self->key = Py_NewRef(key);
    if (PyUnicode_CheckExact(key)) /* not yet so in a wrapper that came in a pickle */
        PyUnicode_InternInPlace(&self->key);
    self->other = Py_NewRef(other);
    self->after = kind_of_after(other);
    self->third = Py_NewRef(third);
    return (PyObject *)self;
}

static int wrapper_traverse(CallWrapper *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(self->real);
    Py_VISIT(self->key);
    Py_VISIT(self->other);
    Py_VISIT(self->third);
    return 0;
}

static int wrapper_clear(CallWrapper *self)
{
    Py_CLEAR(self->real);
    Py_CLEAR(self->key);
    Py_CLEAR(self->other);
    Py_CLEAR(self->third);
    return 0;
}

static void wrapper_dealloc(CallWrapper *self)
{
    PyObject_GC_UnTrack(self);
    if (self->weak_references != NULL)
        PyObject_ClearWeakRefs((PyObject *)self);
    wrapper_clear(self);
    free_object((PyObject *)self);
}

static PyObject *wrapper_get(PyObject *self, PyObject *object, PyObject *type)
{
    return object == NULL || object == Py_None ? Py_NewRef(self) : PyMethod_New(self, object);
}

/* Names are those of what is called; a type has a `__module__` of its own. */
static PyObject *wrapper_attribute(PyObject *self, PyObject *name)
{
    int is_ours = PyUnicode_Compare(name, name_module) != 0;
    PyObject *found = is_ours ? PyObject_GenericGetAttr(self, name) : NULL;
    if (found != NULL || (is_ours && !PyErr_ExceptionMatches(PyExc_AttributeError)))
        return found;
    PyErr_Clear();
    return PyObject_GetAttr(((CallWrapper *)self)->real, name);
}

/* Attributes that a program gives to its function are that function's. */
static int wrapper_set_attribute(PyObject *self, PyObject *name, PyObject *value)
{
    return PyObject_SetAttr(((CallWrapper *)self)->real, name, value);
}

static PyObject *wrapper_doc(CallWrapper *self, void *unused)
{
    return PyObject_GetAttrString(self->real, "__doc__");
}

/* Programs ask whether a method is a function, and then what a function can tell: `real` tells it. */
static PyObject *wrapper_class(CallWrapper *self, void *unused)
{
    return Py_NewRef(Py_TYPE(self->real));
}

static PyMemberDef wrapper_members[] = {
    {"__wrapped__", T_OBJECT, offsetof(CallWrapper, real), READONLY, NULL},
    {"_goldsplit_stage", T_OBJECT, offsetof(CallWrapper, key), READONLY, NULL},
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(CallWrapper, vectorcall), READONLY, NULL},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(CallWrapper, weak_references), READONLY, NULL},
    {NULL},
};

/* Pickled by name, as functions are. */
static PyObject *wrapper_reduce(PyObject *self, PyObject *unused)
{
    return PyObject_GetAttrString(((CallWrapper *)self)->real, "__qualname__");
}

/* What it was made of, to be made again. */
static PyObject *wrapper_parts(CallWrapper *self, PyObject *unused)
{
    return Py_BuildValue("OOOO", self->real, self->key, self->other, self->third);
}

static PyMethodDef wrapper_methods[] = {
    {"__reduce__", wrapper_reduce, METH_NOARGS, NULL},
    {"_goldsplit_parts", (PyCFunction)wrapper_parts, METH_NOARGS, NULL},
    {NULL},
};

static PyGetSetDef wrapper_getset[] = {
    {"__doc__", (getter)wrapper_doc, NULL, NULL, NULL},
    {"__class__", (getter)wrapper_class, NULL, NULL, NULL},
    {NULL},
};

#define CALL_SLOTS                                                                                          \
    {Py_tp_call, PyVectorcall_Call}, {Py_tp_new, wrapper_new}, {Py_tp_traverse, wrapper_traverse},          \
        {Py_tp_clear, wrapper_clear}, {Py_tp_dealloc, wrapper_dealloc},                                     \
        {Py_tp_getattro, wrapper_attribute}, {Py_tp_setattro, wrapper_set_attribute},                       \
        {Py_tp_members, wrapper_members}, {Py_tp_methods, wrapper_methods}, {Py_tp_getset, wrapper_getset}

static PyType_Slot wrapper_slots[] = {CALL_SLOTS, {Py_tp_descr_get, wrapper_get}, {0, NULL}};
/* In a class, a function written in C gets no `self`: what stands for it must not either. */
static PyType_Slot bare_slots[] = {CALL_SLOTS, {0, NULL}};

#define CALL_FLAGS (OUR_FLAGS | Py_TPFLAGS_HAVE_VECTORCALL)
#define CALL_WRAPPER(name)                                                                                  \
    {OUR_NAME(name), sizeof(CallWrapper), 0, CALL_FLAGS | Py_TPFLAGS_METHOD_DESCRIPTOR, wrapper_slots}

PyType_Spec CountedCall_Spec = CALL_WRAPPER("counted_call");
PyType_Spec SpanCall_Spec = CALL_WRAPPER("span_call");
PyType_Spec ForwardCall_Spec = CALL_WRAPPER("forward_call");
PyType_Spec WaitCall_Spec = CALL_WRAPPER("wait_call");
PyType_Spec EndCall_Spec = CALL_WRAPPER("end_call");
PyType_Spec RareCall_Spec = CALL_WRAPPER("rare_call");
PyType_Spec WakerCall_Spec = CALL_WRAPPER("waker_call");
PyType_Spec SizedCall_Spec = CALL_WRAPPER("sized_call");
PyType_Spec WatchedCall_Spec = CALL_WRAPPER("watched_call");
PyType_Spec BareWatchedCall_Spec
    = {OUR_NAME("bare_watched_call"), sizeof(CallWrapper), 0, CALL_FLAGS, bare_slots};

int set_up_names_of_calls(void)
{
    return (name_module = PyUnicode_InternFromString("__module__")) != NULL;
}
