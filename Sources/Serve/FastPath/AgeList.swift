/// Numbers in the order in which they were put in, such as descriptors by when they were used last.
/// O(1) throughout. Pure.
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

    /// The one that has been in longest.
    var first: Int? { oldest == Self.none ? nil : Int(oldest) }

    /// As the newest, whether or not it was in before. Numbers are small and not negative.
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
    }

    mutating func remove(_ number: Int) {
        guard number < links.count, links[number].isIn else { return }
        let link = links[number]
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
