#if defined(__x86_64__)
#include <emmintrin.h>

typedef __m128i native;
#define OP(name) _mm_##name
#define TARGET
#define LANES 1
#define NARROWER planes_portable_kernels
#define KERNELS planes_sse2_kernels
#include "kernels.h"
#endif
