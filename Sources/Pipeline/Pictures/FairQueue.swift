/// Decides which member of a bounded room gets the next place. Pure.
///
/// A member enters, wants a place when it needs one, holds it, and leaves.
///
/// - A group is a source or a host of signed URLs. Groups that want places get equally many, and so
///   do the clients within a group.
/// - One group gets at most three quarters of the places, and one client at most three quarters of
///   those, so that others find a free one.
/// - When the room is full, the share with most waiting members loses its newest one.
struct FairQueue {
    typealias Ticket = UInt64
    typealias Instant = ContinuousClock.Instant

    /// For whom a place is wanted.
    struct Share: Hashable, Sendable {
        var group: String
        /// `nil` if it is not known. All unknown clients count as one.
        var client: String?
    }

    enum Entry: Equatable {
        case entered
        /// The member is in, and the named one was removed.
        case enteredInsteadOf(Ticket, of: Share)
        case refused
    }

    private enum Stage {
        case idle, wanting, holding
    }

    private struct Member {
        var share: Share
        var stage = Stage.idle
        var hasHeld = false
    }

    private struct Client {
        /// Members without a place.
        var waiting: Set<Ticket> = []
        /// Members that want a place, in their order.
        var wanting: [Ticket] = []
        var holding = 0
        /// Number of the last place that it got.
        var served: UInt64 = 0
    }

    private struct Group {
        var clients: [String?: Client] = [:]
        var waiting = 0
        var holding = 0
        var served: UInt64 = 0
        var pace = Pace()
    }

    /// Average seconds between two members' leaving.
    private struct Pace {
        var seconds = 0.25
        var last: Instant?

        mutating func note(_ now: Instant) {
            if let last { seconds += ((now - last) / .seconds(1) - seconds) / 8 }
            last = now
        }
    }

    private let places: Int
    private let room: Int
    private var members: [Ticket: Member] = [:]
    private var groups: [String: Group] = [:]
    private var given: UInt64 = 0
    /// Members that hold a place.
    private(set) var holding = 0

    /// - Parameter line: Limit of members without a place when all places are held.
    init(places: Int, line: Int) {
        self.places = max(1, places)
        room = self.places + max(0, line)
    }

    /// Members without a place.
    var waiting: Int { members.count - holding }

    /// Returns how many of `count` places one group or client may hold.
    static func most(of count: Int) -> Int { count - count / 4 }

    /// Whether the next newcomer displaces another member.
    var isFull: Bool { members.count >= room }

    func isIn(_ ticket: Ticket) -> Bool { members[ticket] != nil }

    func isHolding(_ ticket: Ticket) -> Bool { members[ticket]?.stage == .holding }

    /// Adds a member. Tickets must be ascending.
    mutating func enter(_ ticket: Ticket, _ share: Share) -> Entry {
        assert(members[ticket] == nil, "a member enters twice")
        defer { assert(isBalanced, "members are lost: \(members.count), \(holding) with a place") }
        members[ticket] = Member(share: share)
        groups[share.group, default: Group()].waiting += 1
        groups[share.group]?.clients[share.client, default: Client()].waiting.insert(ticket)
        guard members.count > room, let victim = newestOfMost(share) else { return .entered }
        let loser = members[victim]?.share ?? share
        remove(victim)
        assert(members.count <= room, "more members are in than the room has")
        return victim == ticket ? .refused : .enteredInsteadOf(victim, of: loser)
    }

    /// Returns whether a member of that share would get a place at once.
    func isOpen(to share: Share) -> Bool {
        guard holding < places else { return false }
        guard let group = groups[share.group] else { return true }
        return group.holding < Self.most(of: places)
            && isOpen(share.client, group.clients[share.client]?.holding ?? 0)
    }

    /// Returns whether the member holds a place now. If not, ``next()`` will return it later.
    mutating func want(_ ticket: Ticket) -> Bool {
        guard let member = members[ticket] else { return false }
        switch member.stage {
        case .holding: return true
        case .wanting: return false
        case .idle:
            if isOpen(to: member.share) {
                give(ticket)
                return true
            }
            members[ticket]?.stage = .wanting
            groups[member.share.group]?.clients[member.share.client]?.wanting.append(ticket)
            return false
        }
    }

    /// Assigns the next free place and returns its member. Returns `nil` if no place is free or no
    /// member may have it.
    mutating func next() -> Ticket? {
        guard holding < places else { return nil }
        var best: (ticket: Ticket, order: (Int, UInt64))?
        for group in groups.values where group.holding < Self.most(of: places) {
            let order = (group.holding, group.served)
            if let best, best.order <= order { continue }
            if let ticket = nextTicket(of: group) { best = (ticket, order) }
        }
        if let best { give(best.ticket) }
        assert(isBalanced, "a place is given and not counted")
        return best?.ticket
    }

    /// Takes back the place that the member holds or wants. The member stays in the room.
    mutating func giveBack(_ ticket: Ticket) {
        guard let member = members[ticket] else { return }
        let share = member.share
        switch member.stage {
        case .idle: return
        case .wanting:
            groups[share.group]?.clients[share.client]?.wanting.removeAll { $0 == ticket }
        case .holding:
            assert(holding > 0, "more places are given back than were given")
            assert(groups[share.group]?.holding ?? 0 > 0, "a place of another group is given back")
            assert(
                groups[share.group]?.clients[share.client]?.holding ?? 0 > 0,
                "a place of another client is given back")
            holding -= 1
            groups[share.group]?.holding -= 1
            groups[share.group]?.waiting += 1
            groups[share.group]?.clients[share.client]?.holding -= 1
            groups[share.group]?.clients[share.client]?.waiting.insert(ticket)
        }
        members[ticket]?.stage = .idle
    }

    mutating func leave(_ ticket: Ticket, at now: Instant) {
        guard let member = members[ticket] else { return }
        if member.hasHeld { groups[member.share.group]?.pace.note(now) }
        remove(ticket)
        assert(isBalanced, "a member leaves and still counts")
    }

    /// Returns the estimated seconds until a newcomer of that share would be finished, from the
    /// pace of its group and its turns among the group's clients. At most a minute.
    func retryAfter(_ share: Share) -> Int {
        guard let group = groups[share.group] else { return 1 }
        let own = group.clients[share.client]?.waiting.count ?? 0
        let others = group.clients.count { $0.key != share.client && !$0.value.waiting.isEmpty }
        let ahead = min(own * (others + 1) + others, group.waiting)
        return Int(min(max((Double(ahead + 1) * group.pace.seconds).rounded(.up), 1), 60))
    }

    private mutating func give(_ ticket: Ticket) {
        guard let share = members[ticket]?.share else { return }
        assert(members[ticket]?.stage != .holding, "a member gets a second place")
        assert(holding < places, "more places are given than there are")
        assert(isOpen(to: share), "a share gets more places than it may have")
        members[ticket]?.stage = .holding
        members[ticket]?.hasHeld = true
        holding += 1
        given += 1
        groups[share.group]?.holding += 1
        groups[share.group]?.waiting -= 1
        groups[share.group]?.served = given
        groups[share.group]?.clients[share.client]?.holding += 1
        groups[share.group]?.clients[share.client]?.served = given
        groups[share.group]?.clients[share.client]?.waiting.remove(ticket)
        groups[share.group]?.clients[share.client]?.wanting.removeAll { $0 == ticket }
        assert(groups[share.group]?.waiting ?? 0 >= 0, "a group has fewer than no waiting members")
    }

    /// Whether the sums of the groups are those of all.
    private var isBalanced: Bool {
        groups.values.reduce(0) { $0 + $1.holding } == holding
            && groups.values.reduce(0) { $0 + $1.waiting } == waiting
            && groups.values.allSatisfy { group in
                group.clients.values.reduce(0) { $0 + $1.holding } == group.holding
                    && group.clients.values.reduce(0) { $0 + $1.waiting.count } == group.waiting
            }
    }

    private mutating func remove(_ ticket: Ticket) {
        giveBack(ticket)
        guard let share = members.removeValue(forKey: ticket)?.share else { return }
        groups[share.group]?.waiting -= 1
        groups[share.group]?.clients[share.client]?.waiting.remove(ticket)
        if let client = groups[share.group]?.clients[share.client], client.holding == 0,
            client.waiting.isEmpty
        {
            groups[share.group]?.clients[share.client] = nil
            assert(client.wanting.isEmpty, "a client is gone and wants a place")
            if groups[share.group]?.clients.isEmpty == true { groups[share.group] = nil }
        }
    }

    private func isOpen(_ client: String?, _ holding: Int) -> Bool {
        client == nil || holding < Self.most(of: Self.most(of: places))
    }

    private func nextTicket(of group: Group) -> Ticket? {
        group.clients
            .filter { !$1.wanting.isEmpty && isOpen($0, $1.holding) }
            .min { ($0.value.holding, $0.value.served) < ($1.value.holding, $1.value.served) }?
            .value.wanting.first
    }

    /// Returns the newest member of the share with most waiting members. Among equal shares it is
    /// the one with most places, then the newcomer's.
    private func newestOfMost(_ newcomer: Share) -> Ticket? {
        func load(_ group: Group) -> (Int, Int) { (group.waiting, group.holding) }
        func load(_ client: Client) -> (Int, Int) { (client.waiting.count, client.holding) }
        let most = groups.values.map(load).max(by: <) ?? (0, 0)
        var group = groups[newcomer.group]
        if group.map({ load($0) < most }) ?? true {
            group = groups.values.first { load($0) == most }
        }
        guard let group else { return nil }
        let largest = group.clients.values.map(load).max(by: <) ?? (0, 0)
        // In another group this is the client of the same name, which is as good as any equal one.
        var client = group.clients[newcomer.client]
        if client.map({ load($0) < largest }) ?? true {
            client = group.clients.values.first { load($0) == largest }
        }
        return client?.waiting.max()
    }
}
