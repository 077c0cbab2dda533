/* Single spans as text. In Python this was most of what the snapshot thread did in a young run. */
#include "native.h"

#define TICK_NS 100 /* as in packing.py */
#define LONGEST_NUMBER 21 /* of 64 bits, with its sign and a comma */

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

static char *put(char *text, long long number)
{
    char digits[LONGEST_NUMBER];
    int length = 0;
    unsigned long long rest = number < 0 ? -(unsigned long long)number : (unsigned long long)number;
    do
        digits[length++] = (char)('0' + rest % 10);
    while (rest /= 10);
    if (number < 0)
        *text++ = '-';
    while (length)
        *text++ = digits[--length];
    *text++ = ',';
    return text;
}

static char *put_spans(char *text, RawSpan **spans, Py_ssize_t number, long long before)
{
    for (Py_ssize_t i = 0; i < number; i++) {
        long long gap = ticks(spans[i]->t0 - before);
        text = put(text, spans[i]->node);
        text = put(text, gap);
        text = put(text, ticks(spans[i]->elapsed));
        before += gap * TICK_NS;
    }
    return text;
}

/* The spans of a raw window by their start: (raw, start_ns). */
PyObject *raw_text(PyObject *module, PyObject *arguments)
{
    PyObject *raw;
    long long start_ns;
    if (!PyArg_ParseTuple(arguments, "O!L", &PyByteArray_Type, &raw, &start_ns))
        return NULL;
    Py_ssize_t number = PyByteArray_GET_SIZE(raw) / (Py_ssize_t)sizeof(RawSpan);
    RawSpan *kept = (RawSpan *)PyByteArray_AS_STRING(raw);
    RawSpan **spans = PyMem_New(RawSpan *, number + 1);
    char *text = PyMem_Malloc(3 * LONGEST_NUMBER * number + 1);
    PyObject *result = NULL;
    if (spans != NULL && text != NULL) {
        for (Py_ssize_t i = 0; i < number; i++)
            spans[i] = kept + i;
        qsort(spans, number, sizeof *spans, by_start);
        char *end = put_spans(text, spans, number, start_ns);
        result = PyBytes_FromStringAndSize(text, end == text ? 0 : end - text - 1); /* no comma at the end */
    }
    else
        PyErr_NoMemory();
    PyMem_Free(spans);
    PyMem_Free(text);
    return result;
}

/* As base64.b85encode, which goes number by number in Python. */
PyObject *encode85(PyObject *module, PyObject *data)
{
    static const char alphabet[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~";
    if (!PyBytes_Check(data))
        return PyErr_Format(PyExc_TypeError, "encode85 takes bytes");
    const unsigned char *bytes = (const unsigned char *)PyBytes_AS_STRING(data);
    Py_ssize_t size = PyBytes_GET_SIZE(data), missing = (4 - size % 4) % 4;
    PyObject *text = PyUnicode_New((size + missing) / 4 * 5 - missing, 127);
    if (text == NULL)
        return NULL;
    Py_UCS1 *letters = PyUnicode_1BYTE_DATA(text);
    Py_ssize_t length = PyUnicode_GET_LENGTH(text);
    for (Py_ssize_t word = 0; word * 4 < size; word++) {
        unsigned long value = 0;
        for (Py_ssize_t i = word * 4; i < word * 4 + 4; i++)
            value = value << 8 | (i < size ? bytes[i] : 0);
        for (Py_ssize_t i = word * 5 + 4; i >= word * 5; i--, value /= 85)
            if (i < length)
                letters[i] = (Py_UCS1)alphabet[value % 85];
    }
    return text;
}
