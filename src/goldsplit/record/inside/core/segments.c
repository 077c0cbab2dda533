/* A coroutine or generator, driven segment by segment: each is a span. */
#include "native.h"

static PyObject *name_ended;

static int segments_traverse(SegmentsCore *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(self->inner);
    Py_VISIT(self->stage);
    return 0;
}

static int segments_clear(SegmentsCore *self)
{
    Py_CLEAR(self->inner);
    Py_CLEAR(self->stage);
    return 0;
}

static void segments_dealloc(SegmentsCore *self)
{
    PyObject_GC_UnTrack(self);
    segments_clear(self);
    free_object((PyObject *)self);
}

static PyObject *segments_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords)
{
    return type->tp_alloc(type, 0);
}

/* The span of a segment, a new reference; NULL: inside the same stage, or it has failed (with an error, which goes
 * on: it is not ours). */
static NodeCore *open_segment(SegmentsCore *self)
{
    if (self->inner == NULL || !PyIter_Check(self->inner) || self->stage == NULL || !PyUnicode_Check(self->stage)) {
        PyErr_SetString(PyExc_TypeError, "segments are of an iterator and have a stage");
        return NULL;
    }
    StateCore *state = find();
    if (state == NULL) {
        swallow(NULL, "the start of a segment");
        return NULL;
    }
    NodeCore *parent = (NodeCore *)state->current;
    if (is_same(parent->stage, self->stage))
        return NULL;
    Py_INCREF(state);
    Py_INCREF(parent);
    NodeCore *node = (NodeCore *)Py_XNewRef(open_stage(state, parent, self->stage));
    Py_DECREF(parent);
    Py_DECREF(state);
    if (node == NULL)
        swallow(NULL, "the start of a segment");
    return node;
}

/* 0: an error goes on that is not ours. */
static int close_segment(NodeCore *node, long long now, long long count)
{
    StateCore *state = find();
    return (state != NULL && leave_span(state, node, now, count) >= 0) || swallow(NULL, "the end of a segment");
}

/* The last segment is over: returned, raised or closed. What the program raised goes on; unless Ctrl-C or the like
 * comes meanwhile. */
static void end(SegmentsCore *self, NodeCore *node, long long now)
{
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    int is_well = node == NULL || close_segment(node, now, 1);
    PyObject *answer = is_well ? PyObject_CallMethodNoArgs((PyObject *)self, name_ended) : NULL;
    is_well = is_well && (answer != NULL || swallow(NULL, "the end of a coroutine"));
    Py_XDECREF(answer);
    if (is_well) {
        PyErr_Restore(type, value, traceback);
        return;
    }
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(traceback);
}

/* Close the span of a segment after it, and return its result. */
static PyObject *after_segment(SegmentsCore *self, NodeCore *node, PyObject *result)
{
    long long now = read_clock(CLOCK_MONOTONIC);
    if (result == NULL)
        end(self, node, now);
    else if (node != NULL && !close_segment(node, now, 0)) /* only the last one counts */
        Py_CLEAR(result);
    Py_XDECREF(node);
    return result;
}

static PyObject *segments_next(SegmentsCore *self)
{
    NodeCore *node = open_segment(self);
    if (node == NULL && PyErr_Occurred())
        return NULL;
    PyObject *inner = Py_NewRef(self->inner);
    PyObject *result = after_segment(self, node, Py_TYPE(inner)->tp_iternext(inner));
    Py_DECREF(inner);
    return result;
}

static PyObject *segments_resume(SegmentsCore *self, PyObject *const *arguments, Py_ssize_t number)
{
    if (number < 1)
        return PyErr_Format(PyExc_TypeError, "resume takes a method and its arguments");
    NodeCore *node = open_segment(self);
    if (node == NULL && PyErr_Occurred())
        return NULL;
    return after_segment(self, node, PyObject_Vectorcall(arguments[0], arguments + 1, (size_t)number - 1, NULL));
}

static PyMethodDef segments_methods[] = {
    {"resume", (PyCFunction)(void (*)(void))segments_resume, METH_FASTCALL, NULL},
    {NULL},
};

static PyMemberDef segments_members[] = {
    {"inner", T_OBJECT_EX, offsetof(SegmentsCore, inner), 0, NULL},
    {"stage", T_OBJECT_EX, offsetof(SegmentsCore, stage), 0, NULL},
    {NULL},
};

static PyType_Slot segments_slots[] = {
    {Py_tp_new, segments_new},
    {Py_tp_traverse, segments_traverse},
    {Py_tp_clear, segments_clear},
    {Py_tp_dealloc, segments_dealloc},
    {Py_tp_iter, PyObject_SelfIter},
    {Py_tp_iternext, segments_next},
    {Py_am_await, PyObject_SelfIter},
    {Py_tp_members, segments_members},
    {Py_tp_methods, segments_methods},
    {0, NULL},
};

PyType_Spec SegmentsCore_Spec
    = {OUR_NAME("SegmentsCore"), sizeof(SegmentsCore), 0, OUR_FLAGS | Py_TPFLAGS_BASETYPE, segments_slots};

int set_up_names_of_segments(void)
{
    return (name_ended = PyUnicode_InternFromString("ended")) != NULL;
}
