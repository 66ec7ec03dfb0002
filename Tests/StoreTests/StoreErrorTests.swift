import Glibc
import Store
import Testing

@Suite(.timeLimit(.minutes(1)))
struct StoreErrorTests {
    @Test(arguments: [
        (
            StoreError.unusable(path: "/c", reason: "Permission denied"),
            "The cache directory /c can't be used: Permission denied. Choose another with --cache."
        ),
        (
            .unknownLayout(path: "/c", found: "layout v3"),
            "The cache directory /c was written by a newer version (layout v3). Upgrade this "
                + "program, or choose another directory with --cache."
        ),
        (
            .diskFull(path: "/c"),
            "The disk of the cache directory /c is full. Free some space, or choose another with "
                + "--cache."
        ),
        (
            .inputOutput(path: "/c/f", operation: "read", code: EIO),
            "Couldn't read /c/f: Input/output error. Check the disk, or choose another cache "
                + "directory with --cache."
        ),
        (
            .barred(
                path: "/c/f", operation: "read", reason: "Permission denied. It belongs to root."),
            "Couldn't read /c/f: Permission denied. It belongs to root."
        ),
        (
            .index(reason: "disk I/O error"),
            "The cache index failed: disk I/O error. If that lasts, run `vitrine cache verify "
                + "--repair`."
        ),
        (.stopped, "The cache is closed because the program is stopping."),
    ])
    func `each store error says what happened and what to do`(error: StoreError, text: String) {
        #expect(error.description == text)
    }
}
