import Glibc

/// What `swift test --sanitize=address` changes about memory.
package enum Sanitizer {
    /// Whether addresses are watched: nothing that is freed is used again, and nothing is limited.
    package static let watchesAddresses = dlsym(nil, "__asan_init") != nil
}
