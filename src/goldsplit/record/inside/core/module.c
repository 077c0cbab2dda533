/* The module, and the two types on which Python's `Node` and `ThreadState` are built. */
#include "native.h"

static int node_traverse(NodeCore *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(self->stage);
    Py_VISIT(self->parent);
    Py_VISIT(self->last_child);
    Py_VISIT(self->children);
    Py_VISIT(self->steps_key);
    Py_VISIT(self->episodes_key);
    Py_VISIT(self->detail);
    Py_VISIT(self->other);
    return 0;
}

static int node_clear(NodeCore *self)
{
    Py_CLEAR(self->stage);
    Py_CLEAR(self->parent);
    Py_CLEAR(self->last_child);
    Py_CLEAR(self->children);
    Py_CLEAR(self->steps_key);
    Py_CLEAR(self->episodes_key);
    Py_CLEAR(self->detail);
    Py_CLEAR(self->other);
    return 0;
}

static void node_dealloc(NodeCore *self)
{
    PyObject_GC_UnTrack(self);
    node_clear(self);
    free_object((PyObject *)self);
}

static PyObject *node_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords)
{
    NodeCore *self = (NodeCore *)type->tp_alloc(type, 0);
    if (self != NULL && (self->children = PyDict_New()) == NULL)
        Py_CLEAR(self);
    return (PyObject *)self;
}

static int state_traverse(StateCore *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(self->current);
    Py_VISIT(self->raw);
    Py_VISIT(self->counts);
    Py_VISIT(self->waker);
    return 0;
}

static int state_clear(StateCore *self)
{
    Py_CLEAR(self->current);
    Py_CLEAR(self->raw);
    Py_CLEAR(self->counts);
    Py_CLEAR(self->waker);
    return 0;
}

static void state_dealloc(StateCore *self)
{
    PyObject_GC_UnTrack(self);
    state_clear(self);
    free_object((PyObject *)self);
}

static PyObject *state_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords)
{
    StateCore *self = (StateCore *)type->tp_alloc(type, 0);
    if (self == NULL)
        return NULL;
    self->counts = PyDict_New();
    self->current = node_new(NodeCore_Type, NULL, NULL); /* until there is a root */
    if (self->counts == NULL || self->current == NULL)
        Py_CLEAR(self);
    return (PyObject *)self;
}

/* What may be put in from Python is checked: a mistake there must not crash the user's program. */

static PyObject *or_none(PyObject *object) /* the garbage collector may have been here */
{
    return Py_NewRef(object == NULL ? Py_None : object);
}

static PyObject *node_children(NodeCore *self, void *unused)
{
    return or_none(self->children);
}

static PyObject *state_counts(StateCore *self, void *unused)
{
    return or_none(self->counts);
}

static PyObject *state_current(StateCore *self, void *unused)
{
    return or_none(self->current);
}

static int set_current(StateCore *self, PyObject *node, void *unused)
{
    if (!is_node(node)) {
        PyErr_SetString(PyExc_TypeError, "what is current is a node");
        return -1;
    }
    make_current(self, node);
    return 0;
}

static PyObject *node_histogram(NodeCore *self, void *unused)
{
    PyObject *found = PyDict_New();
    for (long i = 0; found != NULL && i < BUCKETS_OF_LENGTH; i++) {
        if (self->lengths[i] == 0)
            continue;
        PyObject *bucket = PyLong_FromLong(i), *number = PyLong_FromUnsignedLong(self->lengths[i]);
        if (bucket == NULL || number == NULL || PyDict_SetItem(found, bucket, number) < 0)
            Py_CLEAR(found);
        Py_XDECREF(bucket);
        Py_XDECREF(number);
    }
    return found;
}

static PyMemberDef node_members[] = {
    {"stage", T_OBJECT, offsetof(NodeCore, stage), 0, NULL},
    {"parent", T_OBJECT, offsetof(NodeCore, parent), 0, NULL},
    {"id", T_LONGLONG, offsetof(NodeCore, id), 0, NULL},
    {"count", T_LONGLONG, offsetof(NodeCore, count), 0, NULL},
    {"total_ns", T_LONGLONG, offsetof(NodeCore, total_ns), 0, NULL},
    {"t0", T_LONGLONG, offsetof(NodeCore, t0), 0, NULL},
    {"cost_from_ns", T_LONGLONG, offsetof(NodeCore, cost_from_ns), 0, NULL},
    {"cpu_from_ns", T_LONGLONG, offsetof(NodeCore, cpu_from_ns), 0, NULL},
    {"cpu_count", T_LONGLONG, offsetof(NodeCore, cpu_count), 0, NULL},
    {"cpu_ns", T_LONGLONG, offsetof(NodeCore, cpu_ns), 0, NULL},
    {"cpu_wall_ns", T_LONGLONG, offsetof(NodeCore, cpu_wall_ns), 0, NULL},
    {"steps_key", T_OBJECT, offsetof(NodeCore, steps_key), 0, NULL},
    {"detail", T_OBJECT, offsetof(NodeCore, detail), 0, NULL},
    {"episodes_key", T_OBJECT, offsetof(NodeCore, episodes_key), 0, NULL},
    {NULL},
};

static PyGetSetDef node_getset[] = {
    {"children", (getter)node_children, NULL, NULL, NULL},
    {"histogram", (getter)node_histogram, NULL, NULL, NULL},
    {NULL},
};

static PyMemberDef state_members[] = {
    {"raw", T_OBJECT, offsetof(StateCore, raw), 0, NULL},
    {"waker", T_OBJECT, offsetof(StateCore, waker), 0, NULL},
    {"ident", T_ULONG, offsetof(StateCore, ident), 0, NULL},
    {"tick", T_LONGLONG, offsetof(StateCore, tick), 0, NULL},
    {"top_ns", T_LONGLONG, offsetof(StateCore, top_ns), 0, NULL},
    {"ended_ns", T_LONGLONG, offsetof(StateCore, ended_ns), 0, NULL},
    {"forward_ns", T_LONGLONG, offsetof(StateCore, forward_ns), 0, NULL},
    {"in_forward", T_BOOL, offsetof(StateCore, in_forward), 0, NULL},
    {NULL},
};

static PyGetSetDef state_getset[] = {
    {"current", (getter)state_current, (setter)set_current, NULL, NULL},
    {"counts", (getter)state_counts, NULL, NULL, NULL},
    {NULL},
};

static PyType_Slot node_slots[] = {
    {Py_tp_new, node_new},
    {Py_tp_traverse, node_traverse},
    {Py_tp_clear, node_clear},
    {Py_tp_dealloc, node_dealloc},
    {Py_tp_members, node_members},
    {Py_tp_getset, node_getset},
    {0, NULL},
};

PyType_Spec NodeCore_Spec = {OUR_NAME("NodeCore"), sizeof(NodeCore), 0, OUR_FLAGS | Py_TPFLAGS_BASETYPE, node_slots};

static PyType_Slot state_slots[] = {
    {Py_tp_new, state_new},
    {Py_tp_traverse, state_traverse},
    {Py_tp_clear, state_clear},
    {Py_tp_dealloc, state_dealloc},
    {Py_tp_members, state_members},
    {Py_tp_getset, state_getset},
    {0, NULL},
};

PyType_Spec StateCore_Spec = {OUR_NAME("StateCore"), sizeof(StateCore), 0, OUR_FLAGS | Py_TPFLAGS_BASETYPE, state_slots};

/* Documented where they are written in Python. */
static PyMethodDef functions[] = {
    {"set_up", set_up, METH_VARARGS, NULL},
    {"this_thread", this_thread, METH_NOARGS, NULL},
    {"enter", enter, METH_O, NULL},
    {"leave", (PyCFunction)(void (*)(void))leave, METH_FASTCALL, NULL},
    {"open_span", (PyCFunction)(void (*)(void))open_from_python, METH_FASTCALL, NULL},
    {"close_span", (PyCFunction)(void (*)(void))close_from_python, METH_FASTCALL, NULL},
    {"add_span", (PyCFunction)(void (*)(void))add_from_python, METH_FASTCALL, NULL},
    {"forget", forget, METH_O, NULL},
    {"watch_borders", (PyCFunction)(void (*)(void))watch_borders, METH_FASTCALL, NULL},
    {"set_up_act_or_learn", set_up_act_or_learn, METH_VARARGS, NULL},
    {"enter_forward", (PyCFunction)(void (*)(void))enter_forward, METH_FASTCALL, NULL},
    {"leave_forwards_to", leave_forwards_to, METH_VARARGS, NULL},
    {"leave_forward", leave_forward, METH_O, NULL},
    {"watch_forward", watch_forward, METH_O, NULL},
    {"settle_forward", settle_forward, METH_O, NULL},
    {"begin_backward", begin_backward, METH_O, NULL},
    {"count_one", count_one, METH_O, NULL},
    {"count_step", (PyCFunction)(void (*)(void))count_step, METH_FASTCALL, NULL},
    {"count_update", (PyCFunction)(void (*)(void))count_update, METH_FASTCALL, NULL},
    {"leave_steps_to", leave_steps_to, METH_O, NULL},
    {"leave_updates_to", leave_updates_to, METH_VARARGS, NULL},
    {"enter_wait", enter_wait, METH_O, NULL},
    {"leave_as", (PyCFunction)(void (*)(void))leave_as, METH_FASTCALL, NULL},
    {"enter_end", (PyCFunction)(void (*)(void))enter_end, METH_FASTCALL, NULL},
    {"count_command", count_command, METH_O, NULL},
    {"leave_commands_to", leave_commands_to, METH_VARARGS, NULL},
    {"set_up_waiting", set_up_waiting, METH_VARARGS, NULL},
    {"set_snapshot_ns", set_snapshot_ns, METH_O, NULL},
    {"set_watched", set_watched, METH_O, NULL},
    {"step_aside", step_aside_from_python, METH_O, NULL},
    {"leave_recursion_to", leave_recursion_to, METH_O, NULL},
    {"leave_failures_to", leave_failures_to, METH_O, NULL},
    {"swallow", (PyCFunction)(void (*)(void))swallow_from_python, METH_FASTCALL, NULL},
    {"report_code", report_code, METH_VARARGS, NULL},
    {"report_start", (PyCFunction)(void (*)(void))report_start, METH_FASTCALL, NULL},
    {"report_return", (PyCFunction)(void (*)(void))report_return, METH_FASTCALL, NULL},
    {"report_unwind", (PyCFunction)(void (*)(void))report_unwind, METH_FASTCALL, NULL},
    {"raw_columns", raw_columns, METH_VARARGS, NULL},
    {"last_progress_ns", last_progress_ns, METH_NOARGS, NULL},
    {"set_last_progress_ns", set_last_progress_ns, METH_O, NULL},
    {NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "goldsplit.record.inside.core._native",
    .m_size = -1,
    .m_methods = functions,
};

PyTypeObject *NodeCore_Type, *StateCore_Type, *SegmentsCore_Type, *WatchedCore_Type, *CountedCall_Type, *SpanCall_Type,
    *ForwardCall_Type, *WaitCall_Type, *EndCall_Type, *RareCall_Type, *WakerCall_Type, *SizedCall_Type,
    *WatchedCall_Type, *BareWatchedCall_Type;

static const struct {
    PyTypeObject **type;
    PyType_Spec *spec;
} types[] = {
    {&NodeCore_Type, &NodeCore_Spec},       {&StateCore_Type, &StateCore_Spec},
    {&SegmentsCore_Type, &SegmentsCore_Spec}, {&WatchedCore_Type, &WatchedCore_Spec},
    {&CountedCall_Type, &CountedCall_Spec}, {&SpanCall_Type, &SpanCall_Spec},
    {&ForwardCall_Type, &ForwardCall_Spec}, {&WaitCall_Type, &WaitCall_Spec},
    {&EndCall_Type, &EndCall_Spec},         {&RareCall_Type, &RareCall_Spec},
    {&WakerCall_Type, &WakerCall_Spec},     {&SizedCall_Type, &SizedCall_Spec},
    {&WatchedCall_Type, &WatchedCall_Spec}, {&BareWatchedCall_Type, &BareWatchedCall_Spec},
};

PyMODINIT_FUNC PyInit__native(void)
{
    if (!set_up_names_of_spans() || !set_up_names_of_act_or_learn() || !set_up_names_of_waiting()
        || !set_up_names_of_segments() || !set_up_names_of_calls() || !set_up_watched_calls())
        return NULL;
    PyObject *module = PyModule_Create(&definition);
    for (size_t i = 0; module != NULL && i < sizeof types / sizeof *types; i++) {
        *types[i].type = (PyTypeObject *)PyType_FromSpec(types[i].spec);
        if (*types[i].type == NULL || PyModule_AddType(module, *types[i].type) < 0)
            Py_CLEAR(module);
    }
    return module;
}
