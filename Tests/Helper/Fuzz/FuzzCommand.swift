import Glibc
import Imaging

/// Reads changed inputs in a process of their own and watches it; see ``FuzzOptions/usage``.
enum FuzzCommand {
    static func run(_ arguments: [String]) async {
        Allocator.boundArenas()
        guard let options = FuzzOptions(arguments) else {
            complain(FuzzOptions.usage)
            exit(64)
        }
        do {
            if let current = options.current {
                let isFine =
                    switch options.subject {
                    case .pictures: try await FuzzRun(options, current).run()
                    case .colors: try await ColorRun(options, current).run()
                    case .headers: try await HeaderRun(options, current).run()
                    case .catalogs: try await CatalogFuzz(options, current).run()
                    case .connections: try await ConnectionRun(options, current).run()
                    case .responses: try await ResponseRun(options, current).run()
                    }
                exit(isFine ? 0 : 1)
            }
            exit(try Watch(options).run() ? 0 : 1)
        } catch {
            complain("\(error)\n")
            exit(70)
        }
    }
}
