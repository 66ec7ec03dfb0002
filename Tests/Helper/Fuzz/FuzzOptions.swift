/// What the command line asks for.
struct FuzzOptions {
    static let usage = """
        Helper fuzz [--two-colors|--headers|--catalogs|--connections|--responses] [--count N] [--seconds N] [--first N] [--seed N] [--soak N] [DIRECTORY]
          --two-colors  render each picture after two of different colors, and compare the bytes
          --headers   read headers only, with what the service reads them in its own process
          --catalogs  recorded answers of the sources' APIs instead of pictures
          --connections  what clients of HTTP/1, HTTP/2 and TLS send, to the engine
          --responses  compressed bodies and dates, as origins send them
          --count N   inputs (50000)
          --seconds N  end after that time
          --first N   the number of the first input (0); the same seed and number are the same input
          --seed N    of the mutations (1)
          --soak N    N renders of good pictures instead
          DIRECTORY   pictures that are mutated besides the drawn ones

        """

    var count = 50_000
    /// Time after which no further input is tried; nil for none.
    var limit: Duration?
    var first = 0
    var seed: UInt64 = 1
    var soak = false
    var subject = Subject.pictures
    var directory: String?
    /// Where the process that renders leaves each input; nil in the one that watches.
    var current: String?

    /// What is changed.
    enum Subject: String {
        case pictures, colors, headers, catalogs, connections, responses
    }

    /// Nil where the arguments can't be understood.
    init?(_ arguments: [String]) {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "--count":
                guard let value = number(&rest), value > 0 else { return nil }
                count = value
            case "--soak":
                guard let value = number(&rest), value > 0 else { return nil }
                count = value
                soak = true
            case "--seconds":
                guard let value = number(&rest), value > 0 else { return nil }
                limit = .seconds(value)
            case "--two-colors": subject = .colors
            case "--catalogs": subject = .catalogs
            case "--headers": subject = .headers
            case "--connections": subject = .connections
            case "--responses": subject = .responses
            case "--first":
                guard let value = number(&rest), value >= 0 else { return nil }
                first = value
            case "--seed":
                guard let value = rest.popFirst().flatMap(UInt64.init) else { return nil }
                seed = value
            case "--current":
                guard let value = rest.popFirst() else { return nil }
                current = value
            default:
                guard !argument.hasPrefix("-"), directory == nil else { return nil }
                directory = argument
            }
        }
    }

    private func number(_ rest: inout ArraySlice<String>) -> Int? {
        rest.popFirst().flatMap { Int($0) }
    }
}
