#if defined(__aarch64__)
#include <arm_neon.h>

#define TARGET
#define LANES 1
#define NARROWER planes_portable_kernels
#define KERNELS planes_neon_kernels
#include "kernels.h"
#endif
