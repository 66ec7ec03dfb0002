// What the thread sanitizer takes for a race in code that is not ours, and why it is none.

#if defined(__linux__) && __has_feature(thread_sanitizer)

// Asked for by the sanitizer, once.
const char *__tsan_default_suppressions(void);

const char *__tsan_default_suppressions(void) {
    return
        // UnsafeContinuation.resume(returning:) reads where the result belongs, in the memory of a
        // task that has not begun to wait. The runtime orders that with a compare and exchange that
        // the sanitizer doesn't see (SwiftContinuation.c), before the task uses the memory again.
        "race:sScc6resume9returningyxn_tF\n";
}

#endif
