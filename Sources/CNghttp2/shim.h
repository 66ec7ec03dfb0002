#pragma once
#include <nghttp2/nghttp2.h>

#if NGHTTP2_VERSION_NUM < 0x013400
#error "Vitrine needs libnghttp2 1.52 or newer"
#endif
