import Synchronization

/// Children that render, kept warm between jobs. A render thread takes one for a job, so there are
/// never more at work than threads.
final class ChildPool: Sendable {
    private struct Idle {
        var child: ChildProcess
        /// Jobs done.
        var jobs: Int
    }

    /// However small it is drawn: its text is checked first, which takes half a second for 8 MB.
    private static let pixelsOfSVG = 4_000_000

    private let policy: IsolationPolicy
    private let limits: Limits
    private let idle = Mutex<[Idle]>([])
    private let numbers = Atomic<Int>(0)
    private let starts = Atomic<Int>(0)

    init(_ policy: IsolationPolicy, _ limits: Limits) {
        self.policy = policy
        self.limits = limits
    }

    func isolates(_ format: ImageFormat) -> Bool { policy.isolates(format) }

    /// Renders in a child; blocks the calling thread, which is a render thread.
    ///
    /// - Parameters:
    ///   - header: says how much time it is given.
    ///   - encodings: one for each rendition.
    ///   - isSuspect: takes a new child, which renders nothing else.
    func render(
        _ original: [UInt8], _ header: Header, _ renditions: [Rendition], _ encodings: [Encoding],
        isSuspect: Bool = false
    ) throws(ImagingError) -> Rendering {
        let memory = try SharedMemory(original)
        let order = RenderOrder(
            number: numbers.wrappingAdd(1, ordering: .relaxed).newValue, format: header.format,
            count: original.count, maxBytes: limits.maxBytes, maxPixels: limits.maxPixels,
            maxSide: limits.maxSide,
            parts: zip(renditions, encodings).map { rendition, encoding in
                RenderOrder.Part(
                    width: rendition.level.width, height: rendition.level.height,
                    encoding: encoding)
            })
        let deadline = deadline(header)
        var taken = try isSuspect ? startNew() : take()
        switch taken.child.render(order, renditions, memory, within: deadline) {
        case .answered(let reply):
            taken.jobs += 1
            if !isSuspect, taken.jobs < policy.jobs {
                idle.withLock { [taken] in $0.append(taken) }
            }
            return try reply.result.get()
        case .died(let signal): throw .crashed(reason: Self.words(signal))
        case .late: throw .tooSlow(seconds: deadline / .seconds(1))
        case .lied: throw .crashed(reason: "it answered nonsense")
        }
    }

    /// Processor time for a picture.
    func deadline(_ header: Header) -> Duration {
        let pixels = header.format == .svg ? max(header.pixels, Self.pixelsOfSVG) : header.pixels
        let megapixels = Double(pixels) / 1_000_000
        return policy.deadline + policy.deadlinePerMegapixel * megapixels
    }

    /// The one that worked last is the warmest.
    private func take() throws(ImagingError) -> Idle {
        if let found = idle.withLock({ $0.popLast() }) { return found }
        return try startNew()
    }

    private func startNew() throws(ImagingError) -> Idle {
        starts.add(1, ordering: .relaxed)
        return Idle(child: try ChildProcess(policy), jobs: 0)
    }

    private static func words(_ signal: Int32?) -> String {
        signal.map { "it ended by signal \($0)" } ?? "it ended by itself"
    }

    /// Children started so far.
    var started: Int { starts.load(ordering: .relaxed) }

    /// Ends the children that are idle; those at work end with their jobs' threads.
    func close() { idle.withLock { $0.removeAll() } }
}
