/// What drawing an SVG costs, with everything drawn as often as it is referred to. A unit is about a
/// simple shape.
struct SVGCost {
    private struct Element {
        var name: String
        var own: Double
        var children: [Int] = []
        var references: [(id: String, times: Double)] = []
    }

    private var all: [Element] = []
    /// Several where the document is at fault; which one counts is not ours to say.
    private var byID: [String: [Int]] = [:]

    /// How many there are.
    var elements: Int { all.count }

    /// Returns the element's number.
    mutating func add(name: String, ids: [String], parent: Int?, cost: Double) -> Int {
        let number = all.count
        all.append(Element(name: name, own: cost))
        if let parent { all[parent].children.append(number) }
        for id in ids { byID[id, default: []].append(number) }
        return number
    }

    mutating func refer(from element: Int, to id: String, times: Double) {
        all[element].references.append((id, times))
    }

    mutating func add(_ cost: Double, to element: Int) { all[element].own += cost }

    /// The names of the elements with this identifier.
    func names(_ id: String) -> [String] { (byID[id] ?? []).map { all[$0].name } }

    /// The whole document's; refuses circles and what is nested too deeply.
    func total() throws(ImagingError) -> Double {
        var known = [Double?](repeating: nil, count: all.count)
        var open = [Bool](repeating: false, count: all.count)
        return try all.isEmpty ? 0 : cost(of: 0, depth: 0, &known, &open)
    }

    private func cost(
        of number: Int, depth: Int, _ known: inout [Double?], _ open: inout [Bool]
    ) throws(ImagingError) -> Double {
        if let cost = known[number] { return cost }
        guard !open[number] else { throw .unsupported(format: "SVG that refers to itself") }
        guard depth < 100 else { throw .unsupported(format: "SVG nested more than 100 deep") }
        open[number] = true
        defer { open[number] = false }
        let element = all[number]
        var sum = element.own
        for child in element.children {
            sum += try cost(of: child, depth: depth + 1, &known, &open)
        }
        for (id, times) in element.references {
            for target in byID[id] ?? [] {
                sum += try times * cost(of: target, depth: depth + 1, &known, &open)
            }
        }
        known[number] = sum
        return sum
    }
}
