#if defined(__x86_64__)
#include <immintrin.h>

typedef __m512i native;
#define OP(name) _mm512_##name
#define TARGET __attribute__((target("avx2,avx512f,avx512bw,avx512vl,avx512vnni")))
#define LANES 4
#define NARROWER planes_avx2_kernels
#define KERNELS planes_avx512_kernels
#include "kernels.h"
#endif
