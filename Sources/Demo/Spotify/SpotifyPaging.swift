/// One part of a list, and where the parts before and after it are.
struct SpotifyPaging: Sendable, Equatable {
    var href: String
    var next: String?
    var previous: String?
    var limit: Int
    var offset: Int
    var total: Int

    /// `address` writes the address of a part; the one before begins at 0 at the least, and so may
    /// overlap this one.
    init(limit: Int, offset: Int, total: Int, address: (_ offset: Int) -> String) {
        self.init(
            href: address(offset), next: offset + limit < total ? address(offset + limit) : nil,
            previous: offset > 0 ? address(max(0, offset - limit)) : nil, limit: limit,
            offset: offset, total: total)
    }

    init(href: String, next: String?, previous: String?, limit: Int, offset: Int, total: Int) {
        self.href = href
        self.next = next
        self.previous = previous
        self.limit = limit
        self.offset = offset
        self.total = total
    }

    func json(_ items: [JSON]) -> JSON {
        [
            "href": .string(href), "items": .array(items), "limit": .integer(limit),
            "next": JSON(next), "offset": .integer(offset), "previous": JSON(previous),
            "total": .integer(total),
        ]
    }
}
