#define _GNU_SOURCE
#include "CProcessors.h"

#include <sched.h>
#include <stddef.h>

int processors_allowed(void) {
    /* Room for 8,192: a cpu_set_t has 1,024, and the kernel refuses less room than it needs. */
    cpu_set_t masks[8];
    if (sched_getaffinity(0, sizeof masks, masks) != 0) return -1;
    return CPU_COUNT_S(sizeof masks, masks);
}
