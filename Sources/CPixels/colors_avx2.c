#if defined(__x86_64__)
#define TARGET __attribute__((target("avx2")))
#define KERNELS colors_avx2_kernels
#include "colors_kernels.h"
#endif
