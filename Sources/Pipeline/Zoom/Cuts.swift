import Catalog
import FoundationEssentials
import Hashing
import Imaging
import Memory
import Store
import Synchronization

/// Parts of pictures that are not tiles. They are made for the client and kept in memory only, so that
/// invented sizes take no room on disk.
final class Cuts: Sendable {
    struct Key: Hashable, Sendable {
        /// Of the pyramid, or of the thumbnail that stands for it.
        var source: Digest
        var request: ZoomRequest
        /// ``Edition/number``
        var edition: Int
    }

    /// Returns the key of a part that is made now.
    func key(_ source: Digest, _ request: ZoomRequest) -> Key {
        Key(source: source, request: request, edition: editions.current.number)
    }

    private let editions: Editions
    private var renderer: Renderer { editions.current.renderer }
    private let made: MemoryTier<Key, [UInt8]>
    private let flights = InFlight<Key, Void, Result<[UInt8], any Error>> { _, _ in true }
    /// Parts that are made or wait for it.
    private let queue: AdmissionQueue
    private let budget: Mutex<ZoomBudget>
    private let start = ContinuousClock.now

    /// - Parameter bytes: memory for parts that were made.
    init(_ policy: ZoomPolicy, _ editions: Editions, threads: Int, bytes: Int) {
        self.editions = editions
        made = MemoryTier(maxCost: bytes, maxCount: 10_000)
        queue = AdmissionQueue(places: 2 * threads, line: policy.waiting)
        budget = Mutex(ZoomBudget(perMinute: policy.pixelsPerMinute))
    }

    /// Returns the entity tag of a part: of its source, its request and everything else that decides
    /// its bytes.
    func tag(_ key: Key) -> String {
        let request = key.request
        let turn = "\(request.isMirrored) \(request.quarters) \(request.colors)"
        let text =
            "\(key.source.hex) \(request.x),\(request.y),\(request.width),\(request.height) "
            + "\(request.outWidth),\(request.outHeight) \(turn) \(request.format) "
            + renderer.recipe(ofCuts: request.format)
        return Digest(of: Array(text.utf8)).hex
    }

    /// Returns the encoded part from memory, or makes it. Concurrent callers share the work.
    ///
    /// - Parameter work: pixels that it costs.
    /// - Throws: ``Failure`` of kind `tooMany` if the picture's budget is used up, `overloaded` if too
    ///   many parts wait, `invalid` if it needs more memory than renders may take.
    func bytes(
        of item: Item, _ key: Key, work: Int,
        _ make: @escaping @Sendable () async throws -> PictureCut
    ) async throws -> [UInt8] {
        if let bytes = made.value(key) { return bytes }
        return try await flights.made(for: key) { [self] in
            try await cut(item, key, work: work, make)
        }.value
    }

    private func cut(
        _ item: Item, _ key: Key, work: Int, _ make: @Sendable () async throws -> PictureCut
    ) async throws -> [UInt8] {
        let clock = start.duration(to: .now) / .seconds(1)
        if let seconds = budget.withLock({ $0.take(work, of: item, at: clock) }) {
            throw Failure(
                .tooMany,
                "Too many parts of this picture were asked for in new sizes; try again in "
                    + "\(seconds) s, or ask for its tiles.", retryAfter: seconds)
        }
        do {
            let bytes = try await queue.run(.init(item)) {
                try await renderer.cut(try await make(), key.request.format, for: .item(item))
            }
            made.insert(bytes, for: key, cost: bytes.count + 256)
            return bytes
        } catch let failure as Failure where failure.kind == .overloaded {
            budget.withLock { $0.giveBack(work, of: item) }
            throw failure
        } catch ImagingError.overLimit(let reason) {
            // The request is at fault, and not the picture.
            throw Failure.invalid(
                reason: "This part is too large: \(reason). Ask for less, or for tiles.")
        }
    }
}

/// How many pixels per minute are resampled for each picture. Pure; takes the seconds of a clock.
///
/// Requests for parts in ever new sizes cost time and can't be cached, so that each picture has a budget
/// that refills.
struct ZoomBudget {
    /// Pictures that are remembered. The fullest are forgotten first, which changes nothing for them.
    private static let most = 4_096

    private struct Account {
        var left: Double
        var at: Double
    }

    private let perMinute: Int
    private var accounts: [Item: Account] = [:]

    init(perMinute: Int) { self.perMinute = perMinute }

    /// Takes pixels from a picture's budget. Returns nil, or the seconds after which there are enough.
    ///
    /// Work that is larger than the whole budget is allowed once the budget is full.
    mutating func take(_ pixels: Int, of item: Item, at now: Double) -> Int? {
        let most = Double(perMinute)
        let perSecond = most / 60
        let account = accounts[item]
        let left = account.map { min(most, $0.left + max(0, now - $0.at) * perSecond) } ?? most
        let needed = min(Double(pixels), most)
        guard left >= needed else {
            accounts[item] = Account(left: left, at: now)
            return max(1, Int(((needed - left) / perSecond).rounded(.up)))
        }
        accounts[item] = Account(left: left - Double(pixels), at: now)
        if accounts.count > Self.most { forget(at: now, perSecond) }
        return nil
    }

    /// Returns pixels that were taken and not resampled.
    mutating func giveBack(_ pixels: Int, of item: Item) {
        accounts[item]?.left += Double(pixels)
    }

    private mutating func forget(at now: Double, _ perSecond: Double) {
        let fullest = accounts.sorted {
            $0.value.left + (now - $0.value.at) * perSecond
                > $1.value.left + (now - $1.value.at) * perSecond
        }
        for entry in fullest.prefix(Self.most / 8) { accounts[entry.key] = nil }
    }
}
