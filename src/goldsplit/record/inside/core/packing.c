/* Single spans as bytes. In Python this was most of the snapshot thread's work in the first seconds. */
#include "native.h"

#define TICK_NS 100 /* as in packing.py */
#define LONGEST_NUMBER 10 /* bytes of 64 bits, seven in each */

typedef struct {
    long long node, t0, elapsed;
} RawSpan;

/* Of two that began together the one that was kept first comes first. */
static int by_start(const void *one, const void *other)
{
    const RawSpan *a = *(RawSpan *const *)one, *b = *(RawSpan *const *)other;
    if (a->t0 != b->t0)
        return a->t0 < b->t0 ? -1 : 1;
    return a < b ? -1 : a > b;
}

static long long ticks(long long ns)
{
    return ns / TICK_NS - (ns % TICK_NS < 0); /* rounded down, as in Python */
}

/* Seven bits a byte, the lowest first; all but the last have the eighth. */
static unsigned char *put(unsigned char *bytes, unsigned long long number)
{
    for (; number > 127; number >>= 7)
        *bytes++ = (unsigned char)(number | 128);
    *bytes++ = (unsigned char)number;
    return bytes;
}

/* A gap may be below zero: that of a span which began before the window. */
static unsigned long long signless(long long number)
{
    return number < 0 ? ~((unsigned long long)number << 1) : (unsigned long long)number << 1;
}

/* Column by column: neighbours are then alike, and pack better. */
static unsigned char *put_spans(unsigned char *bytes, RawSpan **spans, Py_ssize_t number, long long before)
{
    for (Py_ssize_t i = 0; i < number; i++)
        bytes = put(bytes, (unsigned long long)spans[i]->node);
    for (Py_ssize_t i = 0; i < number; i++) {
        long long gap = ticks(spans[i]->t0 - before);
        bytes = put(bytes, signless(gap));
        before += gap * TICK_NS;
    }
    for (Py_ssize_t i = 0; i < number; i++)
        bytes = put(bytes, spans[i]->elapsed < 0 ? 0 : (unsigned long long)ticks(spans[i]->elapsed));
    return bytes;
}

/* The spans of a raw window by their start: (raw, start_ns). */
PyObject *raw_columns(PyObject *module, PyObject *arguments)
{
    PyObject *raw;
    long long start_ns;
    if (!PyArg_ParseTuple(arguments, "O!L", &PyByteArray_Type, &raw, &start_ns))
        return NULL;
    Py_ssize_t number = PyByteArray_GET_SIZE(raw) / (Py_ssize_t)sizeof(RawSpan);
    RawSpan *kept = (RawSpan *)PyByteArray_AS_STRING(raw);
    RawSpan **spans = PyMem_New(RawSpan *, number + 1);
    unsigned char *bytes = PyMem_Malloc(3 * LONGEST_NUMBER * number + 1);
    PyObject *result = NULL;
    if (spans != NULL && bytes != NULL) {
        for (Py_ssize_t i = 0; i < number; i++)
            spans[i] = kept + i;
        qsort(spans, number, sizeof *spans, by_start);
        unsigned char *end = put_spans(bytes, spans, number, start_ns);
        result = PyBytes_FromStringAndSize((char *)bytes, end - bytes);
    }
    else
        PyErr_NoMemory();
    PyMem_Free(spans);
    PyMem_Free(bytes);
    return result;
}
