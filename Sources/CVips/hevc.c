#define _GNU_SOURCE
#include "CVips.h"

#include <stdatomic.h>
#include <threads.h>

// What libde265 reports of a damaged picture, which libheif does not ask for (1.15): it returns the part that was
// decoded as if it were all.

static atomic_bool damaged;
static once_flag searched = ONCE_FLAG_INIT;
static int (*decode)(void *, int *);
static int (*warning)(void *);

static void search(void) {
    // The name of its interface since 2014; libheif or a plugin of it has opened it.
    void *library = dlopen("libde265.so.0", RTLD_LAZY | RTLD_NOLOAD);
    if (!library) return;
    warning = (int (*)(void *))dlsym(library, "de265_get_warning");
    decode = (int (*)(void *, int *))dlsym(library, "de265_decode");
}

// Of de265_error in its header.
enum {
    OK = 0,
    NOT_INITIALIZED = 12,
    WAITING_FOR_INPUT = 13,
    NO_WPP_CANNOT_USE_MULTITHREADING = 1000,
    NUMBER_OF_THREADS_LIMITED_TO_MAXIMUM = 1022,
    SPS_MISSING_CANNOT_DECODE_SEI = 1025,
};

static void note(int code) {
    switch (code) {
    case OK:
    case WAITING_FOR_INPUT:
    case NO_WPP_CANNOT_USE_MULTITHREADING:
    case NUMBER_OF_THREADS_LIMITED_TO_MAXIMUM:
    case SPS_MISSING_CANNOT_DECODE_SEI: break;
    default: atomic_store(&damaged, true);
    }
}

// Takes the place of libde265's function when libheif calls it: the program exports the name, see Package.swift.
int de265_decode(void *decoder, int *more) {
    call_once(&searched, search);
    if (!decode || !warning) return NOT_INITIALIZED;
    int status = decode(decoder, more);
    note(status);
    int code;
    while ((code = warning(decoder)) != OK) note(code);
    return status;
}

void vitrine_hevc_begin(void) { atomic_store(&damaged, false); }

bool vitrine_hevc_is_damaged(void) { return atomic_load(&damaged); }
