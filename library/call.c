/* The Python side of the library: a module with two functions.

   names()              the entries in their order, such as "kernels.spin.drift"; a kernel may have several
   call(entry, args)    the result of an entry, or NotImplemented if the arguments do not have its types

   An entry is a function of a list of words that LLVM compiled (entries.py). `call` writes the arguments into the list
   in the order of the entry's signature, in the form of by_address.py:

       f, i, b          float, integer, truth value: one word
       C, A + kind, bytes per number, dimensions
                        array in C order, strided array: 0, 0, numbers, bytes per number, address, shape, strides [bytes]
       ( ... )          tuple with exactly these parts

   Results come back at the head of the list, described by the letters f, i and b. The interpreter's lock is released
   while the entry runs. ENTRIES and WORDS are in table.h, which link.py writes.

   Only the stable ABI of Python 3.11 is used, so that one file suits all later versions. Py_RETURN_NONE is not used: in
   the headers of Python 3.12 it takes no reference, which Python 3.11 needs. */

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>
#define NPY_NO_DEPRECATED_API NPY_2_0_API_VERSION
#define NPY_TARGET_VERSION NPY_2_0_API_VERSION
#include <numpy/arrayobject.h>
#include <stdint.h>
#include <string.h>

typedef union {
    int64_t integer;
    double number;
} Word;
typedef int (*Function)(int64_t *, void **, Word *, Word *);
typedef struct {
    const char *name, *signature, *result;
    Function function;
} Entry;

#include "table.h"

/* The GNU C library has several versions of these functions, which differ in errno and floating-point exceptions only.
   The oldest ones are in every installation. The linker replaces the names in kernels.o (--wrap in link.py). */
#if defined(__GLIBC__) && defined(__x86_64__)
#define OLDEST(name, parameters, arguments)                                                                            \
    extern double oldest_##name parameters;                                                                           \
    __asm__(".symver oldest_" #name "," #name "@GLIBC_2.2.5");                                                         \
    double __wrap_##name parameters { return oldest_##name arguments; }
OLDEST(exp, (double x), (x))
OLDEST(log, (double x), (x))
OLDEST(pow, (double x, double y), (x, y))
OLDEST(fmod, (double x, double y), (x, y))
OLDEST(hypot, (double x, double y), (x, y))
#endif

#define COUNT ((Py_ssize_t)(sizeof(ENTRIES) / sizeof(ENTRIES[0])))

enum { DIFFERENT = -1, ERROR = -2 };

static int put_array(PyObject *x, const char *s, Word **word) {
    if (!PyArray_Check(x)) return DIFFERENT;
    PyArrayObject *a = (PyArrayObject *)x;
    int n = s[3] - '0';
    if (PyArray_NDIM(a) != n || PyArray_DESCR(a)->kind != s[1] || PyArray_ITEMSIZE(a) != s[2] - '0') return DIFFERENT;
    if (!PyArray_CHKFLAGS(a, NPY_ARRAY_ALIGNED | NPY_ARRAY_WRITEABLE) || !PyArray_ISNOTSWAPPED(a)) return DIFFERENT;
    if (s[0] == 'C' && !PyArray_IS_C_CONTIGUOUS(a)) return DIFFERENT;
    int64_t size = PyArray_ITEMSIZE(a), count = 1;
    Word *w = *word, *shape = w + 5, *strides = shape + n;
    for (int k = n - 1; k >= 0; k--) {
        shape[k].integer = PyArray_DIM(a, k);
        strides[k].integer = s[0] == 'C' ? size * count : PyArray_STRIDE(a, k);
        count *= PyArray_DIM(a, k);
    }
    w[0].integer = w[1].integer = 0;
    w[2].integer = count;
    w[3].integer = size;
    w[4].integer = (int64_t)(intptr_t)PyArray_DATA(a);
    *word = strides + n;
    return 4;
}

static int put_float(PyObject *x, Word **word) {
    if (!PyFloat_Check(x) && !PyLong_Check(x) && !PyArray_IsScalar(x, Floating) && !PyArray_IsScalar(x, Integer))
        return DIFFERENT;
    double value = PyFloat_AsDouble(x);
    if (value == -1.0 && PyErr_Occurred()) return ERROR;
    (*word)++->number = value;
    return 1;
}

static int put_integer(PyObject *x, Word **word) {
    if (PyArray_IsScalar(x, Bool)) {
        (*word)++->integer = PyObject_IsTrue(x);
        return 1;
    }
    if (PyLong_Check(x)) {
        (*word)->integer = PyLong_AsLongLong(x);
    } else if (PyArray_IsScalar(x, Integer)) {
        PyObject *number = PyNumber_Index(x);
        if (number == NULL) return ERROR;
        (*word)->integer = PyLong_AsLongLong(number);
        Py_DECREF(number);
    } else {
        return DIFFERENT;
    }
    if ((*word)++->integer == -1 && PyErr_Occurred()) return ERROR;
    return 1;
}

/* Write x by the signature s; the number of letters of s that were read, or DIFFERENT or ERROR. */
static Py_ssize_t put(PyObject *x, const char *s, Word **word) {
    switch (*s) {
    case 'f': return put_float(x, word);
    case 'i':
    case 'b': return put_integer(x, word);
    case 'C':
    case 'A': return put_array(x, s, word);
    }
    if (!PyTuple_Check(x)) return DIFFERENT;
    const char *at = s + 1;
    Py_ssize_t size = PyTuple_Size(x), k = 0;
    for (; *at != ')' && k < size; k++) {
        Py_ssize_t read = put(PyTuple_GetItem(x, k), at, word);
        if (read < 0) return read;
        at += read;
    }
    return *at == ')' && k == size ? at + 1 - s : DIFFERENT;
}

static PyObject *result(const Entry *entry, const Word *word) {
    Py_ssize_t n = (Py_ssize_t)strlen(entry->result);
    PyObject *all = n == 1 ? NULL : PyTuple_New(n);
    if (n != 1 && all == NULL) return NULL;
    for (Py_ssize_t k = 0; k < n; k++) {
        PyObject *one;
        switch (entry->result[k]) {
        case 'f': one = PyFloat_FromDouble(word[k].number); break;
        case 'b': one = PyBool_FromLong(word[k].integer != 0); break;
        default: one = PyLong_FromLongLong(word[k].integer);
        }
        if (n == 1) return one;
        if (one == NULL || PyTuple_SetItem(all, k, one)) {
            Py_DECREF(all);
            return NULL;
        }
    }
    return all;
}

static PyObject *call(PyObject *self, PyObject *const *arguments, Py_ssize_t count) {
    (void)self;
    if (count != 2) return PyErr_Format(PyExc_TypeError, "call takes an entry and a tuple");
    Py_ssize_t which = PyLong_AsSsize_t(arguments[0]);
    if (which == -1 && PyErr_Occurred()) return NULL;
    if (which < 0 || which >= COUNT) return PyErr_Format(PyExc_IndexError, "there is no entry %zd", which);
    const Entry *entry = &ENTRIES[which];
    Word words[WORDS + 1], *end = words;
    Py_ssize_t read = put(arguments[1], entry->signature, &end);
    if (read == ERROR) return NULL;
    if (read == DIFFERENT) return Py_NewRef(Py_NotImplemented);
    int64_t unused = 0;
    void *raised = NULL;
    int code;
    Py_BEGIN_ALLOW_THREADS
    code = entry->function(&unused, &raised, words, words);
    Py_END_ALLOW_THREADS
    if (code) return PyErr_Format(PyExc_RuntimeError, "the kernel %s failed with code %d", entry->name, code);
    if (*entry->result == 0) return Py_NewRef(Py_None);
    return result(entry, words);
}

static PyObject *names(PyObject *self, PyObject *nothing) {
    (void)self, (void)nothing;
    PyObject *all = PyTuple_New(COUNT);
    if (all == NULL) return NULL;
    for (Py_ssize_t k = 0; k < COUNT; k++) {
        PyObject *name = PyUnicode_FromString(ENTRIES[k].name);
        if (name == NULL || PyTuple_SetItem(all, k, name)) {
            Py_DECREF(all);
            return NULL;
        }
    }
    return all;
}

static PyMethodDef METHODS[] = {
    {"call", (PyCFunction)(void (*)(void))call, METH_FASTCALL, "call(entry, arguments): its result"},
    {"names", names, METH_NOARGS, "names(): the kernel of every entry"},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef MODULE = {PyModuleDef_HEAD_INIT, "_compiled", "The compiled kernels.", -1, METHODS, 0, 0, 0, 0};

PyMODINIT_FUNC PyInit__compiled(void) {
    if (PyArray_ImportNumPyAPI() < 0) return NULL;
    return PyModule_Create(&MODULE);
}
