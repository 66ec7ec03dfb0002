#define TARGET
#define KERNELS colors_portable_kernels
#include "colors_kernels.h"
