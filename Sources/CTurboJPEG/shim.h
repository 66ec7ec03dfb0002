// TurboJPEG: libjpeg-turbo's interface for whole pictures, which reads and writes planes as well.
#pragma once
#include <turbojpeg.h>
#if __has_include(<jconfig.h>)
#include <jconfig.h>
#endif

// The version that this was built with; the library has no function for it.
static inline const char *vitrine_turbojpeg_version(void) {
#ifdef LIBJPEG_TURBO_VERSION
#define VITRINE_TEXT(x) #x
#define VITRINE_QUOTED(x) VITRINE_TEXT(x)
    return VITRINE_QUOTED(LIBJPEG_TURBO_VERSION);
#else
    return "-";
#endif
}
