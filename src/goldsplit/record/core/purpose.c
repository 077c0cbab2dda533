/* Whether a forward pass acts or learns is not written on it. What follows it tells: a backward pass follows
 * learning, an environment step follows acting. Each call site (two frames deep) keeps those votes. */
#include "native.h"

#define BUCKETS 256

/* One place in the code that runs a forward pass, and what its calls were for. The codes are kept, so that
 * their identities, by which the site is found, are not given again. */
struct Site {
    PyObject *code, *outer_code;
    int at, outer_at;
    int balance; /* calls that were for learning less those that were for acting */
    PyObject *stage;
    Site *next;
};

static Site *sites[BUCKETS];
static PyObject *act, *learn_forward, *learn_loss;
PyObject *forward_in = NULL; /* what a forward pass is, by the stage that it runs in; elsewhere its site tells */

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

/* Where the wrapper that asks was called, by the two frames that led to it. */
static Site *call_site(int has_grad)
{
    PyFrameObject *wrapper = PyEval_GetFrame(); /* borrowed */
    PyFrameObject *frame = wrapper == NULL ? NULL : PyFrame_GetBack(wrapper);
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

/* The span of a forward pass: False inside another one, None where its stage has the enclosing span already. */
PyObject *enter_forward(PyObject *module, PyObject *is_grad_enabled)
{
    StateCore *state = find();
    if (state == NULL)
        return NULL;
    if (state->in_forward)
        Py_RETURN_FALSE;
    int has_grad = says_yes(is_grad_enabled);
    if (has_grad < 0)
        return NULL;
    NodeCore *parent = (NodeCore *)state->current;
    Site *site = NULL;
    PyObject *stage = parent->stage == NULL || forward_in == NULL ? NULL : PyDict_GetItemWithError(forward_in, parent->stage);
    if (stage == NULL) {
        if (PyErr_Occurred() || (site = call_site(has_grad)) == NULL)
            return NULL;
        stage = site->stage;
    }
    if (stage == parent->stage) {
        state->in_forward = 1;
        Py_RETURN_NONE;
    }
    Py_INCREF(state);
    Py_INCREF(parent);
    NodeCore *node = open_span(state, parent, stage);
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

/* End what `enter_forward` began; how many there were at this place, 0 without a span. */
PyObject *leave_forward(PyObject *module, PyObject *argument)
{
    StateCore *state = find();
    if (state == NULL)
        return NULL;
    state->in_forward = 0;
    if (argument == Py_None)
        return PyLong_FromLong(0);
    PyObject *left = leave(module, argument);
    if (left == NULL)
        return NULL;
    Py_DECREF(left);
    NodeCore *node = (NodeCore *)argument;
    if (node->site != NULL)
        append_undecided(state, node->site);
    if (node->has_grad && ((NodeCore *)node->parent)->parent == Py_None) { /* a loss may follow */
        state->forward_ns = state->ended_ns;
        state->forward_top_ns = state->top_ns;
    }
    return PyLong_FromLongLong(node->count);
}

PyObject *settle_forward(PyObject *module, PyObject *learning)
{
    StateCore *state = find();
    if (state == NULL)
        return NULL;
    settle(state, learning == Py_True);
    Py_RETURN_NONE;
}

/* The forward passes before it were for learning; the loss is what ran since the last of them, and is booked
 * only where no stage encloses both: inside one (SB3's `train`) that time already has its owner. */
PyObject *begin_backward(PyObject *module, PyObject *unused)
{
    StateCore *state = find();
    if (state == NULL)
        return NULL;
    settle(state, 1);
    long long since = state->forward_ns;
    state->forward_ns = 0;
    NodeCore *root = (NodeCore *)state->current;
    if (!since || root->parent != Py_None)
        Py_RETURN_NONE;
    Py_INCREF(state);
    long long now = read_clock(CLOCK_MONOTONIC), owned_by_others = state->top_ns - state->forward_top_ns;
    NodeCore *node = child_of(state, root, learn_loss);
    int failed = node == NULL;
    if (!failed) {
        make_current(state, (PyObject *)node);
        node->t0 = since + owned_by_others;
        failed = close_span(state, node, now) < 0;
    }
    Py_DECREF(state);
    if (failed)
        return NULL;
    Py_RETURN_NONE;
}

int set_up_purpose(void)
{
    return (act = PyUnicode_InternFromString("act")) != NULL
        && (learn_forward = PyUnicode_InternFromString("learn.forward")) != NULL
        && (learn_loss = PyUnicode_InternFromString("learn.loss")) != NULL;
}
