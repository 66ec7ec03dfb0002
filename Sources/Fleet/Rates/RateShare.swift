/// One node's share of an origin's rate. Pure.
///
/// Clocks of different nodes are never compared. A node stops using its share ``lease`` after it
/// began its last successful write; the others take it when they have seen no write of that node for
/// ``absence`` and a window more. Only the speed of the clocks has to agree.
struct RateShare: Sendable {
    typealias Instant = ContinuousClock.Instant

    /// The time between two writes.
    static let interval = Duration.seconds(1)
    /// How long a share may be used after a write.
    static let lease = Duration.seconds(8)
    /// How long a node may be silent before it counts as gone. Longer than the lease by what the
    /// slowest write may take.
    static let absence = Duration.seconds(16)
    /// How long a node keeps its share without using it.
    static let idle = Duration.seconds(20)
    /// How long a node keeps a slot for which others wait, if there are fewer slots than nodes.
    static let turn = Duration.seconds(10)

    let name: String
    /// Starts in a window, by all nodes together.
    let count: Int
    let window: Duration

    /// As in the document that this node wrote last.
    private(set) var held = 0
    /// Slots of these that are on their way back: not used any more, and free once a window has
    /// passed.
    private var leaving = 0
    private var leavesAt: Instant?
    private var leaseEnd: Instant?
    private var heldSince: Instant?
    private(set) var wantedAt: Instant?
    private var starts: [Instant] = []
    /// The beats of others, and when each was seen first.
    private var seen: [String: (beat: Int, at: Instant)] = [:]

    init(name: String, count: Int, per window: Duration) {
        self.name = name
        self.count = max(1, count)
        self.window = window
    }

    /// Whether this node takes part.
    func isWanted(at now: Instant) -> Bool {
        held > 0 || wantedAt.map { now - $0 < Self.idle } == true
    }

    // MARK: - Starts

    /// Returns the slots that may be used.
    func usable(at now: Instant) -> Int {
        guard let leaseEnd, now < leaseEnd else { return 0 }
        return held - leaving
    }

    /// Whether its last write is too old. A node that has just begun is not late.
    func isLapsed(at now: Instant) -> Bool { leaseEnd.map { now >= $0 } ?? false }

    /// Returns the time until a transfer may start; nil if it may start now.
    ///
    /// - Parameter least: slots that are used even without a share.
    mutating func wait(at now: Instant, least: Int = 0) -> Duration? {
        wantedAt = now
        let usable = max(usable(at: now), least)
        let window = window
        starts.removeAll { now - $0 >= window }
        // Soon enough after the next write.
        guard usable > 0 else { return .milliseconds(100) }
        guard starts.count >= usable else { return nil }
        return starts[starts.count - usable] + window - now
    }

    mutating func record(_ now: Instant) { starts.append(now) }

    // MARK: - The document

    /// A write, and what it changes for this node if no other node was first.
    struct Plan: Sendable {
        var document: RateDocument
        fileprivate var held: Int
        fileprivate var leaving: Int
        fileprivate var leavesAt: Instant?
    }

    /// Returns what this node writes; nil if there is nothing to write. Only a write that succeeds
    /// changes its share, because what was read may be old.
    mutating func next(_ found: RateDocument, at now: Instant) -> Plan? {
        var document = found
        sweep(&document, at: now)
        let wants = wantedAt.map { now - $0 < Self.idle } == true
        guard wants || document.members[name] != nil else { return nil }
        var own = document.members[name] ?? RateDocument.Member()
        own.wants = wants
        document.members[name] = own
        // The document counts: others may have taken this node as gone, and a write may have
        // succeeded though its answer was lost.
        var plan = Plan(
            document: document, held: own.slots, leaving: own.slots < held ? 0 : leaving,
            leavesAt: leavesAt)
        let target = target(document, at: now)
        let surplus = max(0, plan.held - target)
        if surplus == 0 || surplus > plan.leaving {
            plan.leaving = surplus
            plan.leavesAt = nil
        } else if let leavesAt, leavesAt <= now {
            plan.held -= plan.leaving
            plan.leaving = 0
            plan.leavesAt = nil
        }
        let free = max(0, count - document.slots)
        if plan.held == own.slots, plan.leaving == 0, mayTake(document, free) {
            let more = min(max(0, target - plan.held), free)
            if more > 0 {
                plan.held += more
                plan.document.grants += 1
                own.granted = plan.document.grants
            }
        }
        own.slots = plan.held
        own.beat += 1
        plan.document.members[name] = own.slots == 0 && !wants ? nil : own
        return plan
    }

    /// The plan was written.
    ///
    /// - Parameter begun: before the write was sent.
    mutating func wrote(_ plan: Plan, begun: Instant, at now: Instant) {
        if plan.held > held || heldSince == nil { heldSince = begun }
        if plan.held == 0 { heldSince = nil }
        held = plan.held
        leaving = plan.leaving
        // Starts until now count for another window.
        leavesAt = leaving > 0 ? plan.leavesAt ?? now + window : nil
        leaseEnd = begun + Self.lease
    }

    /// Removes members that are gone.
    private mutating func sweep(_ document: inout RateDocument, at now: Instant) {
        for (other, member) in document.members where other != name {
            guard let known = seen[other], known.beat == member.beat else {
                seen[other] = (member.beat, now)
                continue
            }
            // A window after its last start, its slots can be used again.
            if now - known.at >= Self.absence + window { document.members[other] = nil }
        }
        seen = seen.filter { document.members[$0.key] != nil }
    }

    /// Returns the slots that this node should have.
    private func target(_ document: RateDocument, at now: Instant) -> Int {
        let others = document.members.filter { $0.value.wants }.keys.sorted()
        guard let place = others.firstIndex(of: name) else { return 0 }
        if others.count <= count {
            return count / others.count + (place < count % others.count ? 1 : 0)
        }
        // Too few slots for all: each node has one for a turn.
        let isTired = heldSince.map { now - $0 >= max(Self.turn, window) } == true
        return isTired ? 0 : 1
    }

    /// Whether this node is among the first for free slots.
    private func mayTake(_ document: RateDocument, _ free: Int) -> Bool {
        let waiting = document.members.filter { $0.value.wants && $0.value.slots == 0 }
            .sorted { ($0.value.granted, $0.key) < ($1.value.granted, $1.key) }
        guard let place = waiting.firstIndex(where: { $0.key == name }) else { return true }
        return waiting.count <= free || place < free
    }
}

/// How the nodes of a fleet divide the rate of one origin, as it is stored.
///
/// The rate's `count` starts a window are as many slots. A node may start one transfer a window for
/// each slot it has. The sum of all slots never exceeds the count.
struct RateDocument: Sendable, Equatable, Codable {
    struct Member: Sendable, Equatable, Codable {
        var slots = 0
        /// Grows with each write. A member whose beat stands still is gone.
        var beat = 0
        /// When it was given slots last, in the order of all grants. Members without a slot get the
        /// next free one in this order.
        var granted = 0
        /// Whether it has something to fetch.
        var wants = true
    }

    var members: [String: Member] = [:]
    /// Number of grants so far.
    var grants = 0

    var slots: Int { members.values.reduce(0) { $0 + $1.slots } }

    /// Whether nodes can have written it. Anything else counts as missing, and is written again.
    var isPossible: Bool {
        // Far more than there are nodes and starts, and far below an overflow.
        members.count <= 100_000 && (0...1 << 53).contains(grants)
            && members.values.allSatisfy { member in
                (0...1 << 30).contains(member.slots) && (0...1 << 53).contains(member.beat)
                    && (0...1 << 53).contains(member.granted)
            }
    }
}
