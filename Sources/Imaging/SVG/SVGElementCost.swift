/// What single elements and properties cost to draw, where 1 is a simple shape.
enum SVGElementCost {
    /// - Parameter name: lower case, without prefix.
    static func of(_ name: String) throws(ImagingError) -> Double {
        switch name {
        case "text", "tspan", "pattern", "mask", "symbol", "svg": return 10
        default: break
        }
        guard name.hasPrefix("fe") else { return 1 }
        // In the order of what they do to every pixel; turbulence, light and convolution have no
        // bound that could be read from here.
        switch name {
        case "femerge", "femergenode", "fefuncr", "fefuncg", "fefuncb", "fefunca": return 1
        case "feflood", "feoffset", "feblend", "fecomposite", "fecolormatrix",
            "fecomponenttransfer", "fedropshadow":
            return 200
        case "fegaussianblur": return 500
        default: throw .unsupported(format: "SVG with the filter \(DecoderWords.oneLine(name))")
        }
    }

    /// Layers of their own, and filters that need no element.
    static func ofStyle(_ style: String) -> Double {
        var cost = 0.0
        for layer in ["opacity", "mask", "clip-path", "mix-blend-mode", "isolation"]
        where style.contains(layer) { cost += 10 }
        for filter in ["blur(", "drop-shadow("] where style.lowercased().contains(filter) {
            cost += 1_000
        }
        return cost
    }

    /// The shortest length that any dashes in a style repeat after; infinite where there are none.
    static func shortestDash(_ style: String) -> Double {
        var shortest = Double.infinity
        var rest = style[...]
        while let found = rest.firstRange(of: "stroke-dasharray") {
            rest = rest[found.upperBound...]
            let value = rest.prefix { $0 != ";" && $0 != "}" }
            let sum = SVGText.numbers(value).reduce(0, +)
            if sum > 0 { shortest = min(shortest, sum) }
        }
        return shortest
    }
}
