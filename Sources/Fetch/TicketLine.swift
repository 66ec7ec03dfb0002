/// Tickets in the order of arrival.
struct TicketLine {
    private var tickets: [HostGate.Ticket] = []
    /// Index of the first that still waits: removal at the front must not move the whole line.
    private var head = 0

    var isEmpty: Bool { head == tickets.count }
    var first: HostGate.Ticket? { isEmpty ? nil : tickets[head] }

    mutating func append(_ ticket: HostGate.Ticket) {
        tickets.append(ticket)
    }

    mutating func remove(_ ticket: HostGate.Ticket) {
        guard let index = tickets[head...].firstIndex(of: ticket) else { return }
        tickets.remove(at: index)
    }

    mutating func removeFirst() {
        head += 1
        if head == tickets.count || head > 64 && head > tickets.count / 2 {
            tickets.removeFirst(head)
            head = 0
        }
    }
}
