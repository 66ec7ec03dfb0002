#if defined(__x86_64__)
#include <immintrin.h>

typedef __m256i native;
#define OP(name) _mm256_##name
#define TARGET __attribute__((target("avx2")))
#define LANES 2
#define NARROWER planes_sse2_kernels
#define KERNELS planes_avx2_kernels
#include "kernels.h"
#endif
