import Glibc

/// The program that tests, `make fuzz` and `make soak` start. Its first argument names what it does:
/// see ``RenderCommand``, ``StoreCommand``, ``QueueCommand`` and ``FuzzOptions/usage``.
@main
struct Helper {
    static func main() async {
        let arguments = CommandLine.arguments.dropFirst(2)
        switch CommandLine.arguments.dropFirst().first {
        // Must run before any other thread starts, like in the program itself.
        case "render": RenderCommand(arguments).run()
        case "store": await StoreCommand.run(Array(arguments))
        case "queue": await QueueCommand.run(Array(arguments))
        case "fuzz": await FuzzCommand.run(Array(arguments))
        default:
            complain("usage: Helper render|store|queue|fuzz …\n")
            exit(64)
        }
    }
}
