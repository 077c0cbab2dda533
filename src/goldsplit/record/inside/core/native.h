/* What every span, step and update of a recorded program runs through, compiled: each C file does what the
 * Python file beside it does, statement by statement (span_calls.c: framed_calls.py).
 *
 * Between two calls into torch everything is out of the processor's caches, and there every byte code and
 * every object is expensive; a few fields of a struct are not. Whatever happens rarely (a new node, a sampled
 * span, a close out of order, an unusual step) is left to Python.
 *
 * Everything here runs with the GIL held, which protects it; free-threaded builds use the core in Python.
 */
#pragma once
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <structmember.h>
#include <time.h>

#if defined(Py_GIL_DISABLED) || !defined(__linux__)
#error "the compiled core is for Linux and builds with a GIL; the one in Python serves elsewhere"
#endif

#pragma GCC visibility push(hidden)

/* Call sites of forward passes between two votes; more than these get no vote. As in act_or_learn.py. */
#define MOST_UNDECIDED 64

/* With eight buckets for each factor of e the last one is for a day and more. */
#define BUCKETS_OF_LENGTH 256

typedef struct Site Site;

typedef struct {
    PyObject_HEAD
    /* What every span touches comes first: the less of it, the fewer lines of the cache. */
    PyObject *stage; /* interned */
    PyObject *parent;
    PyObject *last_child; /* the child that was entered last: nearly always the next one, too */
    long long total_ns; /* not beside `count`: gcc would add to both with one vector instruction, which is slower */
    long long t0;
    long long count;
    long long cost_from_ns;
    long long cpu_from_ns;
    long long id;
    PyObject *children;
    long long cpu_count, cpu_ns, cpu_wall_ns; /* of the calls that were sampled for CPU time */
    PyObject *steps_key; /* None: steps at this place are not (or not yet) counted here */
    PyObject *episodes_key;
    PyObject *detail;
    PyObject *other; /* the node that got the last wait here: the same stage, with a detail */
    char has_grad;
    signed char waits; /* whether its stage is one of waiting: 1 yes, -1 no, 0 not looked up yet */
    unsigned int lengths[BUCKETS_OF_LENGTH]; /* how many spans were about that long */
} NodeCore;

typedef struct {
    PyObject_HEAD
    PyObject *current;
    unsigned long ident;
    long long tick;
    PyObject *raw;
    long long top_ns;
    long long ended_ns;
    PyObject *counts;
    PyObject *waker; /* our name, for threads that we wake */
    long long forward_ns;
    long long forward_top_ns;
    char in_forward;
    char unproved; /* a pass was put to learning by its function alone, and no backward pass has followed yet */
    int vain_looks; /* steps after such passes that told nothing new */
    unsigned long of_sites; /* the generation of the sites that it refers to */
    Site *last_grad; /* of the last forward pass with gradients */
    int undecided_count;
    Site *undecided[MOST_UNDECIDED];
} StateCore;

/* A coroutine or generator and the stage of its segments. */
typedef struct {
    PyObject_HEAD
    PyObject *inner;
    PyObject *stage;
} SegmentsCore;

/* What is done after a span. */
typedef enum { NOTHING, COUNT_STEP, COUNT_UPDATE, LOOK_RARELY, CALL } After;

/* In place of a function or method. */
typedef struct {
    PyObject_HEAD
    vectorcallfunc vectorcall;
    PyObject *real;
    PyObject *key; /* of a counter, or a stage: interned */
    PyObject *other, *third; /* each kind says what they are */
    After after; /* what `other` is, for spans */
    PyObject *weak_references;
} CallWrapper;

/* Types are made when the module is: each interpreter frees its own, and a program cannot change them. */
#define OUR_NAME(name) "goldsplit.record.inside.core._native." name
#define OUR_FLAGS (Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE)

extern PyType_Spec NodeCore_Spec, StateCore_Spec, SegmentsCore_Spec, WatchedCore_Spec;
extern PyType_Spec CountedCall_Spec, SpanCall_Spec, ForwardCall_Spec, WaitCall_Spec, EndCall_Spec, RareCall_Spec,
    WakerCall_Spec, SizedCall_Spec, WatchedCall_Spec, BareWatchedCall_Spec;
extern PyTypeObject *NodeCore_Type, *StateCore_Type, *SegmentsCore_Type, *WatchedCore_Type;
extern PyTypeObject *CountedCall_Type, *SpanCall_Type, *ForwardCall_Type, *WaitCall_Type, *EndCall_Type,
    *RareCall_Type, *WakerCall_Type, *SizedCall_Type, *WatchedCall_Type, *BareWatchedCall_Type;
extern PyTypeObject *known_node_type;

/* The end of every `dealloc`: the object's type is held by it. */
static inline void free_object(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    type->tp_free(self);
    Py_DECREF(type);
}

int is_other_node(PyObject *object);

static inline int is_node(PyObject *object)
{
    return object != NULL && (Py_TYPE(object) == known_node_type || is_other_node(object));
}

/* Where calls come from is looked at rarely: at the first at a place, then at one in so many. As in counting.py. */
#define LOOK_EVERY 67

static inline int is_due(NodeCore *node)
{
    return node->count % LOOK_EVERY == 1;
}

static inline long long read_clock(clockid_t which)
{
    struct timespec now;
    clock_gettime(which, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

/* Stages are interned, except those of wrappers that came to this process in a pickle. */
static inline int is_same(PyObject *ours, PyObject *stage)
{
    return ours == stage
        || (!PyUnicode_CHECK_INTERNED(stage) && ours != NULL && PyUnicode_Compare(ours, stage) == 0);
}

/* failures.c: nothing that goes wrong in our own code may reach the program */
int swallow(PyObject *callable, const char *place);
PyObject *nothing_instead(const char *place);
PyObject *swallow_from_python(PyObject *module, PyObject *const *arguments, Py_ssize_t number);
PyObject *leave_failures_to(PyObject *module, PyObject *count);

/* spans.c */

/* This thread's state, borrowed: Python keeps it until it is forgotten, which begins another generation. It lies in
 * the thread storage that is found without a call, which has little room. */
typedef struct {
    StateCore *state;
    unsigned long generation;
    char *half; /* below this address half of the thread's stack is used; NULL: not known */
} Own;
extern _Thread_local __attribute__((tls_model("initial-exec"))) Own own;
extern unsigned long generation;
StateCore *find_anew(void);
StateCore *find_known(void); /* NULL if this thread has none yet */

static inline StateCore *find(void)
{
    return own.generation == generation ? own.state : find_anew();
}

static inline void make_current(StateCore *state, PyObject *node)
{
    PyObject *before = state->current;
    state->current = Py_NewRef(node);
    Py_XDECREF(before);
}

/* A span of a node begins: it is now the thread's innermost one. The clock is read last: that is faster, too. */
#define NOW (-1)
static inline void open_span(StateCore *state, NodeCore *node, long long t0)
{
    make_current(state, (PyObject *)node);
    node->t0 = t0 == NOW ? read_clock(CLOCK_MONOTONIC) : t0;
}

/* Somebody wants to be told of every border of one thread's spans: a window of the device's clock. */
extern PyObject *border_looker;
extern StateCore *border_state; /* only compared */
int tell_border(NodeCore *node, int closing);

static inline int at_border(StateCore *state, NodeCore *node, int closing)
{
    return __builtin_expect(border_looker == NULL, 1) || state != border_state ? 0 : tell_border(node, closing);
}

int set_up_names_of_spans(void);
NodeCore *child_of(StateCore *state, NodeCore *parent, PyObject *stage);
NodeCore *open_stage(StateCore *state, NodeCore *parent, PyObject *stage);
int close_span(StateCore *state, NodeCore *node, long long now, long long count);
long long leave_span(StateCore *state, NodeCore *node, long long now, long long count);
int end_sample(StateCore *state, long long from_ns);
PyObject *name_of_thread(void);
PyObject *set_up(PyObject *module, PyObject *arguments);
PyObject *this_thread(PyObject *module, PyObject *unused);
PyObject *enter(PyObject *module, PyObject *stage);
PyObject *leave(PyObject *module, PyObject *const *arguments, Py_ssize_t number);
PyObject *open_from_python(PyObject *module, PyObject *const *arguments, Py_ssize_t number);
PyObject *close_from_python(PyObject *module, PyObject *const *arguments, Py_ssize_t number);
PyObject *add_from_python(PyObject *module, PyObject *const *arguments, Py_ssize_t number);
PyObject *forget(PyObject *module, PyObject *state);
PyObject *watch_borders(PyObject *module, PyObject *const *arguments, Py_ssize_t number);

/* act_or_learn.c */
int set_up_names_of_act_or_learn(void);
PyObject *set_up_act_or_learn(PyObject *module, PyObject *arguments);
void settle(StateCore *state, int learning);
PyObject *enter_forward(PyObject *module, PyObject *const *arguments, Py_ssize_t number);
PyObject *leave_forwards_to(PyObject *module, PyObject *arguments);
PyObject *leave_forward(PyObject *module, PyObject *node);
PyObject *call_forward(PyObject *callable, PyObject *const *arguments, size_t number, PyObject *names);
PyObject *watch_forward(PyObject *module, PyObject *flag);
PyObject *settle_forward(PyObject *module, PyObject *learning);
PyObject *begin_backward(PyObject *module, PyObject *state);

/* counting.c */
int add(PyObject *counts, PyObject *key, Py_ssize_t amount);
PyObject *count_one(PyObject *module, PyObject *key);
int count_usual_step(StateCore *state, NodeCore *node, PyObject *result);
int count_usual_update(StateCore *state, NodeCore *node, PyObject *optimizer);
PyObject *count_step(PyObject *module, PyObject *const *arguments, Py_ssize_t number);
PyObject *count_update(PyObject *module, PyObject *const *arguments, Py_ssize_t number);
PyObject *leave_steps_to(PyObject *module, PyObject *unusual);
PyObject *leave_updates_to(PyObject *module, PyObject *arguments);
PyObject *set_watched(PyObject *module, PyObject *flag);
PyObject *last_progress_ns(PyObject *module, PyObject *unused);
PyObject *set_last_progress_ns(PyObject *module, PyObject *time);

/* waiting.c */
int set_up_names_of_waiting(void);
int leave_wait(NodeCore *node, PyObject *detail);
PyObject *enter_wait(PyObject *module, PyObject *stage);
PyObject *leave_as(PyObject *module, PyObject *const *arguments, Py_ssize_t number);
PyObject *enter_end(PyObject *module, PyObject *const *arguments, Py_ssize_t number);
PyObject *count_command(PyObject *module, PyObject *message);
PyObject *leave_commands_to(PyObject *module, PyObject *arguments);
PyObject *set_up_waiting(PyObject *module, PyObject *arguments);
PyObject *set_snapshot_ns(PyObject *module, PyObject *time);
PyObject *call_as_waker(PyObject *callable, PyObject *const *arguments, size_t number, PyObject *names);
PyObject *call_with_size(PyObject *callable, PyObject *const *arguments, size_t number, PyObject *names);

/* segments.c */
int set_up_names_of_segments(void);

/* packing.c */
PyObject *raw_columns(PyObject *module, PyObject *arguments);

/* call_wrappers.c */
int set_up_names_of_calls(void);
PyObject *call_unseen(CallWrapper *self, PyObject *const *arguments, size_t number, PyObject *names);

/* watched_calls.c */
int set_up_watched_calls(void);
PyObject *call_watched(PyObject *callable, PyObject *const *arguments, size_t number, PyObject *names);
PyObject *report_code(PyObject *module, PyObject *arguments);
PyObject *report_start(PyObject *module, PyObject *const *arguments, Py_ssize_t number);
PyObject *report_return(PyObject *module, PyObject *const *arguments, Py_ssize_t number);
PyObject *report_unwind(PyObject *module, PyObject *const *arguments, Py_ssize_t number);

/* recursion.c */
char *half_of_stack(void);

/* Levels of calls between C and Python that are left to the program: of Pythons that count them the least has 1,500
 * in all. */
#define LEVELS_LEFT 700

/* Whether this thread has called itself so often that it may run out of stack; `find` was called before. */
static inline int is_deep(void)
{
#if PY_VERSION_HEX >= 0x030C0000 && PY_VERSION_HEX < 0x030E0000
    if (PyThreadState_Get()->c_recursion_remaining < LEVELS_LEFT)
        return 1;
#endif
    return (char *)__builtin_frame_address(0) < own.half;
}

int step_aside(PyObject *wrapper);
PyObject *step_aside_from_python(PyObject *module, PyObject *wrapper);
PyObject *leave_recursion_to(PyObject *module, PyObject *aside);

/* span_calls.c */
After kind_of_after(PyObject *after);
PyObject *call_span(PyObject *callable, PyObject *const *arguments, size_t number, PyObject *names);
PyObject *call_wait(PyObject *callable, PyObject *const *arguments, size_t number, PyObject *names);
PyObject *call_end(PyObject *callable, PyObject *const *arguments, size_t number, PyObject *names);

#pragma GCC visibility pop
