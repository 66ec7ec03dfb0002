import Glibc
import Imaging

/// Renders mutated pictures, or reads their headers, in a process of their own and watches it; see ``FuzzOptions/usage``.
enum FuzzCommand {
    static func run(_ arguments: [String]) async {
        Allocator.boundArenas()
        guard let options = FuzzOptions(arguments) else {
            complain(FuzzOptions.usage)
            exit(64)
        }
        do {
            if let current = options.current, options.catalogs {
                exit(try await CatalogFuzz(options, current).run() ? 0 : 1)
            }
            if let current = options.current {
                let isFine =
                    options.headers
                    ? try await HeaderRun(options, current).run()
                    : try await FuzzRun(options, current).run()
                exit(isFine ? 0 : 1)
            }
            exit(try Watch(options).run() ? 0 : 1)
        } catch {
            complain("\(error)\n")
            exit(70)
        }
    }
}
