/* Does a forward pass act or learn? The calls around it tell: below a function that learns it is part of an update.
 * Which functions learn is found out from backward passes (hooks/learning_functions.py, asked rarely); where one
 * function does both, what follows tells: a backward pass follows learning, an environment step follows acting. */
#include "native.h"

#define BUCKETS 1024

/* As in act_or_learn.py, where they are explained. */
#define DEEPEST_CALL 64
#define MOST_SITES 4096
#define MOST_UNPROVED 128
#define MOST_TRIES 4
#define MOST_VAIN_LOOKS 8
#define THEN_LOOK_EVERY 256

typedef enum { SURE, VOTES, OPEN } Kind; /* as in state_fields.py */

/* One chain of calls that leads to forward passes, and what those were for. The chain holds the codes, so that their
 * identities, by which the site is found, are not used again. Sites of an older generation are freed: a thread that still
 * refers to some forgets them before it looks (`own_sites`). */
struct Site {
    size_t hash;
    Site *next;
    PyObject *stage;
    PyObject *chain;
    int balance; /* votes for learning less those for acting */
    int passes; /* since the last vote */
    int tries; /* how often a backward pass after it was looked at */
    Kind kind;
    char has_grad, in_turn;
};

static Site *sites[BUCKETS];
static int number_of_sites = 0;
static Site *all_others[2] = {NULL, NULL}; /* where there are too many, by whether gradients are on */
static PyObject *act = NULL, *learn_forward = NULL, *learn_loss = NULL, *name_call_impl;
static PyObject *first_guess = NULL, *saw_backward = NULL, *saw_step = NULL;
static int is_forward_watched = 0;
static PyObject *forward_in = NULL; /* what a forward pass is, by the stage that it runs in; elsewhere its site tells */

static unsigned long generation_of_sites = 0;

static void free_site(Site *site)
{
    if (site == NULL)
        return;
    Py_XDECREF(site->chain);
    PyMem_Free(site);
}

/* Something new is known about the functions: every site is judged again. */
static void forget_sites(void)
{
    Site *old = NULL, *others[2] = {all_others[0], all_others[1]};
    for (size_t i = 0; i < BUCKETS; i++)
        for (Site *site = sites[i], *next; site != NULL; site = next) {
            next = site->next;
            site->next = old;
            old = site;
        }
    memset(sites, 0, sizeof sites);
    all_others[0] = all_others[1] = NULL;
    number_of_sites = 0;
    generation_of_sites += 1;
    for (Site *next; old != NULL; old = next) { /* last: what is freed may run the program's code */
        next = old->next;
        free_site(old);
    }
    free_site(others[0]);
    free_site(others[1]);
}

/* A thread's passes since the last vote, without those at sites that are gone. */
static void own_sites(StateCore *state)
{
    if (state->of_sites == generation_of_sites)
        return;
    state->of_sites = generation_of_sites;
    state->last_grad = NULL;
    state->undecided_count = 0;
}

/* The calls that led to a frame, by the identities of their codes; a recursion counts once. */
static size_t hash_of_calls(PyFrameObject *frame, int has_grad)
{
    size_t hash = (size_t)has_grad, before = 0;
    Py_XINCREF(frame);
    for (int depth = 0; depth < DEEPEST_CALL && frame != NULL; depth++) {
        PyCodeObject *code = PyFrame_GetCode(frame);
        size_t call = ((size_t)code >> 4) * 0x9E3779B97F4A7C15u + (size_t)PyFrame_GetLasti(frame);
        Py_DECREF(code);
        if (call != before)
            hash = (hash ^ hash >> 29) * 0xBF58476D1CE4E5B9u + call;
        before = call;
        PyFrameObject *outer = PyFrame_GetBack(frame);
        Py_DECREF(frame);
        frame = outer;
    }
    Py_XDECREF(frame);
    return hash ^ hash >> 32;
}

__attribute__((cold)) static Site *new_site(PyFrameObject *frame, size_t hash, int has_grad)
{
    Site *site = PyMem_Calloc(1, sizeof(Site));
    if (site == NULL)
        return NULL;
    *site = (Site){.hash = hash, .stage = has_grad ? learn_forward : act, .kind = OPEN, .has_grad = (char)has_grad};
    PyObject *given[] = {(PyObject *)frame, has_grad ? Py_True : Py_False};
    PyObject *answer = first_guess == NULL || frame == NULL ? NULL : PyObject_Vectorcall(first_guess, given, 2, NULL);
    PyObject *chain;
    int kind, learning, in_turn;
    if (answer != NULL && PyTuple_Check(answer) && PyArg_ParseTuple(answer, "Oipp", &chain, &kind, &learning, &in_turn)) {
        site->chain = Py_NewRef(chain);
        site->kind = kind == SURE ? SURE : kind == VOTES ? VOTES : OPEN;
        site->stage = learning ? learn_forward : act;
        site->in_turn = (char)in_turn;
    }
    Py_XDECREF(answer);
    PyErr_Clear(); /* what cannot be found out is guessed */
    return site;
}

static Site *site_of(PyFrameObject *frame, int has_grad)
{
    size_t hash = hash_of_calls(frame, has_grad);
    Site **bucket = &sites[hash % BUCKETS];
    for (Site *site = *bucket; site != NULL; site = site->next)
        if (site->hash == hash)
            return site;
    int is_other = number_of_sites >= MOST_SITES;
    if (is_other && all_others[has_grad] != NULL)
        return all_others[has_grad];
    Site *site = new_site(frame, hash, has_grad);
    if (site == NULL)
        return NULL;
    if (is_other)
        return all_others[has_grad] = site;
    number_of_sites += 1;
    site->next = *bucket;
    return *bucket = site;
}

/* Where a forward pass was called; a wrapper in Python is not part of it. */
static Site *call_site(int has_grad, int has_wrapper)
{
    PyFrameObject *now = PyEval_GetFrame(); /* borrowed */
    PyFrameObject *frame = now == NULL ? NULL : has_wrapper ? PyFrame_GetBack(now) : (PyFrameObject *)Py_NewRef(now);
    Site *site = site_of(frame, has_grad);
    Py_XDECREF(frame);
    if (site == NULL)
        PyErr_NoMemory();
    return site;
}

/* What follows a pass tells what it was for. */
static void remember(StateCore *state, Site *site)
{
    own_sites(state);
    if (site->has_grad)
        state->last_grad = site;
    if (site->kind == SURE) {
        state->unproved |= site->stage == learn_forward;
        return;
    }
    site->passes += 1;
    if (site->passes == 1 && state->undecided_count < MOST_UNDECIDED)
        state->undecided[state->undecided_count++] = site;
}

/* What a backward pass says about a pass before it. It is most likely that of the last one with gradients. */
static int vote_of(Site *site, Site *last)
{
    if (last == NULL)
        return 0;
    if (site->kind == OPEN)
        return !site->has_grad ? 0 : last->kind == OPEN ? 1 : -1;
    return site->in_turn && site->passes > (last->passes > 1 ? last->passes : 1) ? -1 : 1;
}

/* Ask Python, which says whether something new is known. What it raises is not the program's. */
__attribute__((cold)) static int is_new(PyObject *question, PyObject *const *given, size_t number)
{
    PyObject *answer = question == NULL ? NULL : PyObject_Vectorcall(question, given, number, NULL);
    int yes = answer != NULL && PyObject_IsTrue(answer) == 1;
    Py_XDECREF(answer);
    PyErr_Clear();
    if (yes)
        forget_sites();
    return yes;
}

__attribute__((cold)) static void look_at_step(StateCore *state)
{
    state->vain_looks += 1;
    if (state->vain_looks > MOST_VAIN_LOOKS && state->vain_looks % THEN_LOOK_EVERY)
        return;
    PyObject *frame = (PyObject *)PyEval_GetFrame();
    if (frame != NULL && is_new(saw_step, &frame, 1))
        state->vain_looks = 0;
}

/* A backward pass (else: an environment step) tells what the forward passes before it were for. */
void settle(StateCore *state, int learning)
{
    own_sites(state);
    Site *last = state->last_grad;
    for (int i = 0; i < state->undecided_count; i++) {
        Site *site = state->undecided[i];
        int vote = learning ? vote_of(site, last) : -1;
        site->passes = 0;
        site->balance += vote;
        if (vote)
            site->stage = site->balance > 0 ? learn_forward : act;
    }
    state->undecided_count = 0;
    if (!learning && state->unproved)
        look_at_step(state);
    state->unproved = 0;
    state->last_grad = NULL;
}

/* A backward pass after a forward pass at an unknown place: which function holds both? What Python is asked here may
 * forget the sites. */
__attribute__((cold)) static void look_at_backward(StateCore *state, Site *last)
{
    last->tries += 1;
    PyObject *chain = Py_XNewRef(last->chain), *frame = (PyObject *)PyEval_GetFrame(), *others = PyList_New(0);
    for (int i = 0; others != NULL && i < state->undecided_count; i++, own_sites(state)) {
        Site *site = state->undecided[i];
        PyObject *of_site = Py_XNewRef(site->chain);
        PyObject *other = of_site == NULL ? NULL : Py_BuildValue("(Oi)", of_site, site->passes);
        Py_XDECREF(of_site);
        if (other != NULL && PyList_Append(others, other) < 0)
            Py_CLEAR(others);
        Py_XDECREF(other);
    }
    PyObject *given[] = {frame, chain, others};
    if (frame != NULL && chain != NULL && others != NULL)
        is_new(saw_backward, given, 3);
    Py_XDECREF(others);
    Py_XDECREF(chain);
    PyErr_Clear();
}

static int says_yes(PyObject *question)
{
    PyObject *answer = PyObject_CallNoArgs(question);
    int yes = answer == NULL ? -1 : PyObject_IsTrue(answer);
    Py_XDECREF(answer);
    return yes;
}

/* The span of a forward pass, a new reference: False inside another one, None inside a span of the same stage. */
static PyObject *begin_forward(StateCore *state, PyObject *is_grad_enabled, PyObject *acting, int has_wrapper)
{
    if (state->in_forward)
        Py_RETURN_FALSE;
    int has_grad = is_grad_enabled == Py_None ? 0 : says_yes(is_grad_enabled);
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
        stage = site->kind == OPEN && site->passes >= MOST_UNPROVED ? act : site->stage;
        remember(state, site);
    }
    if (stage == act && acting != NULL)
        stage = acting;
    if (stage == parent->stage) {
        state->in_forward = 1;
        Py_RETURN_NONE;
    }
    Py_INCREF(state);
    Py_INCREF(parent);
    NodeCore *node = open_stage(state, parent, stage);
    if (node != NULL) {
        Py_INCREF(node);
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
    NodeCore *parent = (NodeCore *)node->parent;
    if (node->has_grad && is_node((PyObject *)parent) && parent->parent == Py_None) { /* a loss may follow */
        state->forward_ns = state->ended_ns;
        state->forward_top_ns = state->top_ns;
    }
    Py_DECREF(state);
    return node->count;
}

/* (is_grad_enabled or None, acting=None) */
PyObject *enter_forward(PyObject *module, PyObject *const *arguments, Py_ssize_t number)
{
    PyObject *acting = number > 1 && arguments[1] != Py_None ? arguments[1] : NULL;
    if (number < 1 || number > 2 || (acting != NULL && !PyUnicode_Check(acting)))
        return PyErr_Format(PyExc_TypeError, "enter_forward takes a question and a stage");
    StateCore *state = find();
    PyObject *begun = state == NULL ? NULL : begin_forward(state, arguments[0], acting, 1);
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
    PyObject *begun = begin_forward(state, self->key, NULL, 0);
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
    if (state->in_forward)
        Py_RETURN_NONE;
    own_sites(state);
    if (state->last_grad != NULL && state->last_grad->kind == OPEN && state->last_grad->tries < MOST_TRIES)
        look_at_backward(state, state->last_grad);
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

PyObject *leave_forwards_to(PyObject *module, PyObject *arguments)
{
    PyObject *guess, *backward, *step;
    if (!PyArg_ParseTuple(arguments, "OOO", &guess, &backward, &step))
        return NULL;
    Py_XSETREF(first_guess, Py_NewRef(guess));
    Py_XSETREF(saw_backward, Py_NewRef(backward));
    Py_XSETREF(saw_step, Py_NewRef(step));
    forget_sites();
    Py_RETURN_NONE;
}

int set_up_names_of_act_or_learn(void)
{
    return (name_call_impl = PyUnicode_InternFromString("_call_impl")) != NULL;
}
