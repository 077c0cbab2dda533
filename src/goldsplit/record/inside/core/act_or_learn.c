/* Does a forward pass act or learn? What follows it tells: a backward pass follows learning, an environment step
 * follows acting. Each call site (two frames deep) keeps those votes. */
#include "native.h"

#define BUCKETS 256

/* One place in the code that runs a forward pass, and what its calls were for. The codes are kept, so that
 * their identities, by which the site is found, are not used again. */
struct Site {
    PyObject *code, *outer_code;
    int at, outer_at;
    int balance; /* calls that were for learning less those that were for acting */
    PyObject *stage;
    Site *next;
};

static Site *sites[BUCKETS];
static PyObject *act = NULL, *learn_forward = NULL, *learn_loss = NULL, *name_call_impl;
static int is_forward_watched = 0;
static PyObject *forward_in = NULL; /* what a forward pass is, by the stage that it runs in; elsewhere its site tells */

static PyObject *code_and_place(PyFrameObject *frame, int *at)
{
    if (frame == NULL) {
        *at = 0;
        return NULL;
    }
    *at = PyFrame_GetLasti(frame);
    return (PyObject *)PyFrame_GetCode(frame);
}

static Site *site_of(PyObject *code, int at, PyObject *outer_code, int outer_at, int has_grad)
{
    size_t hash = ((size_t)code >> 4) * 31 + ((size_t)outer_code >> 4) * 7 + (size_t)at * 131 + (size_t)outer_at;
    Site **bucket = &sites[(hash ^ hash >> 8) % BUCKETS];
    for (Site *site = *bucket; site != NULL; site = site->next)
        if (site->code == code && site->at == at && site->outer_code == outer_code && site->outer_at == outer_at)
            return site;
    Site *site = PyMem_Calloc(1, sizeof(Site));
    if (site == NULL)
        return NULL;
    *site = (Site){Py_XNewRef(code), Py_XNewRef(outer_code), at, outer_at, 0, has_grad ? learn_forward : act, *bucket};
    return *bucket = site;
}

/* Where a forward pass was called, by the two frames that led to it; a wrapper in Python is not one of them. */
static Site *call_site(int has_grad, int has_wrapper)
{
    PyFrameObject *now = PyEval_GetFrame(); /* borrowed */
    PyFrameObject *frame = now == NULL ? NULL : has_wrapper ? PyFrame_GetBack(now) : (PyFrameObject *)Py_NewRef(now);
    PyFrameObject *outer = frame == NULL ? NULL : PyFrame_GetBack(frame);
    int at, outer_at;
    PyObject *code = code_and_place(frame, &at), *outer_code = code_and_place(outer, &outer_at);
    Site *site = site_of(code, at, outer_code, outer_at, has_grad);
    Py_XDECREF(code);
    Py_XDECREF(outer_code);
    Py_XDECREF(frame);
    Py_XDECREF(outer);
    if (site == NULL)
        PyErr_NoMemory();
    return site;
}

void settle(StateCore *state, int learning)
{
    for (int i = 0; i < state->undecided_count; i++) {
        Site *site = state->undecided[i];
        site->balance += learning ? 1 : -1;
        site->stage = site->balance > 0 ? learn_forward : act;
    }
    state->undecided_count = 0;
}

static void append_undecided(StateCore *state, Site *site)
{
    if (state->undecided_count == MOST_UNDECIDED)
        memmove(state->undecided, state->undecided + 1, (--state->undecided_count) * sizeof *state->undecided);
    state->undecided[state->undecided_count++] = site;
}

static int says_yes(PyObject *question)
{
    PyObject *answer = PyObject_CallNoArgs(question);
    int yes = answer == NULL ? -1 : PyObject_IsTrue(answer);
    Py_XDECREF(answer);
    return yes;
}

/* The span of a forward pass, a new reference: False inside another one, None inside a span of the same stage. */
static PyObject *begin_forward(StateCore *state, PyObject *is_grad_enabled, int has_wrapper)
{
    if (state->in_forward)
        Py_RETURN_FALSE;
    int has_grad = says_yes(is_grad_enabled);
    if (has_grad < 0)
        return NULL;
    if (forward_in == NULL)
        return PyErr_Format(PyExc_RuntimeError, "goldsplit's engine is not there");
    NodeCore *parent = (NodeCore *)state->current;
    Site *site = NULL;
    PyObject *stage = parent->stage == NULL ? NULL : PyDict_GetItemWithError(forward_in, parent->stage);
    if (stage == NULL) {
        if (PyErr_Occurred() || (site = call_site(has_grad, has_wrapper)) == NULL)
            return NULL;
        stage = site->stage;
    }
    if (stage == parent->stage) {
        state->in_forward = 1;
        Py_RETURN_NONE;
    }
    Py_INCREF(state);
    Py_INCREF(parent);
    NodeCore *node = open_stage(state, parent, stage);
    if (node != NULL) {
        Py_INCREF(node);
        node->site = site;
        node->has_grad = (char)has_grad;
        node->cost_from_ns = 0;
        state->in_forward = 1;
    }
    Py_DECREF(parent);
    Py_DECREF(state);
    return (PyObject *)node;
}

/* End what `begin_forward` began; how many there were at this place, 0 without a span, -1: failed. */
static long long end_forward(PyObject *begun)
{
    long long now = read_clock(CLOCK_MONOTONIC);
    StateCore *state = find();
    if (state == NULL)
        return -1;
    state->in_forward = 0;
    if (!is_node(begun))
        return 0;
    NodeCore *node = (NodeCore *)begun;
    Py_INCREF(state);
    if (leave_span(state, node, now, 1) < 0) {
        Py_DECREF(state);
        return -1;
    }
    if (node->site != NULL)
        append_undecided(state, node->site);
    NodeCore *parent = (NodeCore *)node->parent;
    if (node->has_grad && is_node((PyObject *)parent) && parent->parent == Py_None) { /* a loss may follow */
        state->forward_ns = state->ended_ns;
        state->forward_top_ns = state->top_ns;
    }
    Py_DECREF(state);
    return node->count;
}

PyObject *enter_forward(PyObject *module, PyObject *is_grad_enabled)
{
    StateCore *state = find();
    PyObject *begun = state == NULL ? NULL : begin_forward(state, is_grad_enabled, 1);
    return begun == NULL && swallow(NULL, "the start of a forward pass") ? Py_NewRef(Py_False) : begun;
}

PyObject *leave_forward(PyObject *module, PyObject *begun)
{
    long long count = end_forward(begun);
    if (count < 0 && !swallow(NULL, "the end of a forward pass"))
        return NULL;
    return PyLong_FromLongLong(count < 0 ? 0 : count);
}

__attribute__((cold)) static int look_at(PyObject *look, PyObject *node, PyObject *const *arguments, Py_ssize_t number)
{
    PyObject *first = number > 1 ? arguments[1] : Py_None;
    PyObject *given[] = {((NodeCore *)node)->stage, first};
    PyObject *answer = PyObject_Vectorcall(look, given, 2, NULL);
    Py_XDECREF(answer);
    return answer == NULL ? -1 : 0;
}

/* A module's call: (real, is_grad_enabled, look). The outermost module's call is a span, and `look` is called after
 * some of them. Inside, a layer is called as torch calls it, without torch's function that only looks for a compiled
 * module. While the deep look wants to see every layer, `real` does it all. */
PyObject *call_forward(PyObject *callable, PyObject *const *arguments, size_t number, PyObject *names)
{
    CallWrapper *self = (CallWrapper *)callable;
    StateCore *state = find();
    if (state == NULL)
        return call_unseen(self, arguments, number, names);
    if (is_forward_watched || PyVectorcall_NARGS(number) == 0)
        return PyObject_Vectorcall(self->real, arguments, number, names);
    PyObject *begun = begin_forward(state, self->key, 0);
    if (begun == NULL && !swallow(NULL, "the start of a forward pass"))
        return NULL;
    if (begun == NULL)
        begun = Py_NewRef(Py_False);
    PyObject *result = PyObject_VectorcallMethod(name_call_impl, arguments, number, names);
    if (begun != Py_False) {
        PyObject *type, *value, *traceback;
        PyErr_Fetch(&type, &value, &traceback);
        long long count = end_forward(begun);
        int failed = count < 0
            || (count > 0 && is_due((NodeCore *)begun)
                && look_at(self->other, begun, arguments, PyVectorcall_NARGS(number)) < 0);
        if (!failed || swallow(self->other, NULL))
            PyErr_Restore(type, value, traceback);
        else {
            Py_XDECREF(type);
            Py_XDECREF(value);
            Py_XDECREF(traceback);
            Py_CLEAR(result);
        }
    }
    Py_DECREF(begun);
    return result;
}

PyObject *watch_forward(PyObject *module, PyObject *flag)
{
    is_forward_watched = flag == Py_True;
    Py_RETURN_NONE;
}

PyObject *settle_forward(PyObject *module, PyObject *learning)
{
    StateCore *state = find();
    if (state == NULL)
        return NULL;
    settle(state, learning == Py_True);
    Py_RETURN_NONE;
}

/* The forward passes before it were for learning; the loss is what ran since the last of them. It is counted only
 * where no stage encloses both: inside one (SB3's `train`) that time is the stage's. */
PyObject *begin_backward(PyObject *module, PyObject *unused)
{
    StateCore *state = find();
    if (state == NULL)
        return NULL;
    settle(state, 1);
    long long since = state->forward_ns;
    state->forward_ns = 0;
    NodeCore *root = (NodeCore *)state->current;
    if (!since || root->parent != Py_None || learn_loss == NULL)
        Py_RETURN_NONE;
    Py_INCREF(state);
    long long now = read_clock(CLOCK_MONOTONIC), owned_by_others = state->top_ns - state->forward_top_ns;
    NodeCore *node = child_of(state, root, learn_loss);
    int failed = node == NULL;
    if (!failed) {
        open_span(state, node, since + owned_by_others);
        failed = close_span(state, node, now, 1) < 0;
    }
    Py_DECREF(state);
    if (failed)
        return NULL;
    Py_RETURN_NONE;
}

/* Stages are compared by identity, so they are interned. The old one is not freed: sites may refer to it. */
static void set_stage(PyObject **stage, PyObject *given)
{
    Py_INCREF(given);
    PyUnicode_InternInPlace(&given);
    *stage = given;
}

PyObject *set_up_act_or_learn(PyObject *module, PyObject *arguments)
{
    PyObject *stages, *given_act, *given_forward, *given_loss;
    if (!PyArg_ParseTuple(
            arguments, "O!UUU", &PyDict_Type, &stages, &given_act, &given_forward, &given_loss))
        return NULL;
    set_stage(&act, given_act);
    set_stage(&learn_forward, given_forward);
    set_stage(&learn_loss, given_loss);
    Py_XSETREF(forward_in, Py_NewRef(stages));
    Py_RETURN_NONE;
}

int set_up_names_of_act_or_learn(void)
{
    return (name_call_impl = PyUnicode_InternFromString("_call_impl")) != NULL;
}
