// libvips of arm64, opened by CVips: every function that is called is there, and a picture is resized.
#include "CVips.h"

#include "claims.h"

int main(void) {
    const char *reason = vitrine_vips_open();
    claim(reason ? reason : "libvips has every function that CVips calls", !reason);
    if (reason) return claims_end();
    claim("libvips starts", vitrine_vips_init() == 0);
    static uint8_t samples[64 * 48 * 3];
    for (size_t i = 0; i < sizeof samples; i++) samples[i] = (uint8_t)(i * 7);
    VipsImage *from = vitrine_vips_borrow(samples, sizeof samples, 64, 48, 3), *to = NULL;
    claim("libvips resizes a picture", from && vitrine_vips_resized(from, 0.5, 0.25, &to) == 0);
    claim("it has the new size", to && vitrine_vips_width(to) == 32 && vitrine_vips_height(to) == 12);
    return claims_end();
}
