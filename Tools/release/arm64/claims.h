// What a program claims of itself, and what it prints so that two builds of it can be compared.
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

static int claims_failed;
static int claims_made;

static inline void claim(const char *text, int holds) {
    claims_made++;
    if (holds) return;
    claims_failed++;
    fprintf(stderr, "FAIL %s\n", text);
}

// Says how many claims there were, and returns the exit status.
static inline int claims_end(void) {
    fprintf(stderr, "%d passed, %d failed\n", claims_made - claims_failed, claims_failed);
    return claims_failed ? 1 : 0;
}

// FNV-1a.
static inline uint64_t digest(const void *bytes, size_t count) {
    const uint8_t *at = bytes;
    uint64_t sum = 0xCBF29CE484222325u;
    for (size_t i = 0; i < count; i++) sum = (sum ^ at[i]) * 0x100000001B3u;
    return sum;
}
