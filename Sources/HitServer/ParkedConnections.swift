/// The connections of a loop whose next response waits for the disk. Nothing is read from them
/// meanwhile. Belongs to the loop's thread.
struct ParkedConnections {
    /// What a request waited for.
    struct Wait {
        var read: any HitRead
        /// Nanoseconds of the monotonic clock.
        var since: Int64
    }

    /// A connection whose picture has been read.
    struct Resumed {
        var file: CInt
        var wait: Wait
        /// The request that waited, and what follows it.
        var inbound: [UInt8]
    }

    private struct Parked {
        var wait: Wait
        var number: Int
        var inbound: [UInt8]
    }

    /// Their requests take 8 MB at most.
    private static let most = 128

    private var parked: [CInt: Parked] = [:]

    var isEmpty: Bool { parked.isEmpty }
    var isFull: Bool { parked.count >= Self.most }

    func contains(_ file: CInt) -> Bool { parked[file] != nil }

    /// Keeps a connection until its picture has been read.
    ///
    /// - Parameter number: tells connections apart that had the same descriptor.
    mutating func park(_ file: CInt, _ number: Int, _ wait: Wait, _ inbound: [UInt8]) {
        parked[file] = Parked(wait: wait, number: number, inbound: inbound)
    }

    /// Takes out a connection whose picture has been read; nil if it has another number.
    mutating func resume(_ file: CInt, _ number: Int) -> Resumed? {
        guard let one = parked[file], one.number == number else { return nil }
        parked[file] = nil
        return Resumed(file: file, wait: one.wait, inbound: one.inbound)
    }
}
