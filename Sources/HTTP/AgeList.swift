/// Keeps small non-negative numbers in the order in which they were appended, such as descriptors
/// by their last use. All operations are O(1). Pure.
struct AgeList {
    private struct Link {
        var older = none
        var newer = none
        var isIn = false
    }

    private static let none: Int32 = -1

    private var links: [Link] = []
    private var oldest = none
    private var newest = none

    /// The oldest number.
    var first: Int? { oldest == Self.none ? nil : Int(oldest) }

    /// Makes a number the newest, whether or not it is in the list.
    mutating func append(_ number: Int) {
        remove(number)
        while links.count <= number { links.append(Link()) }
        links[number] = Link(older: newest, newer: Self.none, isIn: true)
        if newest == Self.none {
            oldest = Int32(number)
        } else {
            links[Int(newest)].newer = Int32(number)
        }
        newest = Int32(number)
        assert(
            oldest != Self.none && links[Int(oldest)].older == Self.none,
            "something is older than the oldest")
    }

    /// Removes a number. Does nothing if it is not in the list.
    mutating func remove(_ number: Int) {
        guard number < links.count, links[number].isIn else { return }
        let link = links[number]
        assert(
            link.older == Self.none
                ? oldest == Int32(number) : links[Int(link.older)].newer == Int32(number),
            "a number and the older one don't know each other")
        assert(
            link.newer == Self.none
                ? newest == Int32(number) : links[Int(link.newer)].older == Int32(number),
            "a number and the newer one don't know each other")
        links[number].isIn = false
        if link.older == Self.none {
            oldest = link.newer
        } else {
            links[Int(link.older)].newer = link.newer
        }
        if link.newer == Self.none {
            newest = link.older
        } else {
            links[Int(link.newer)].older = link.older
        }
    }
}
