/// The sizes of an original's thumbnails, and which of them is made from which.
///
/// A chain begins at the decoded original and makes each size from the next larger one. It follows from
/// the original's size and the configured levels alone, whichever of them are wanted: the same
/// thumbnail always has the same bytes. Large levels have a chain of their own, so that a small one
/// never costs the resampling of a large one. So has a small level that is nearly as large as the original: the
/// next one takes the same time from either, is sharper from the original, and doesn't wait for it alone.
struct LevelChain: Equatable {
    /// As seen, from the largest to the smallest that is needed; never empty.
    var sizes: [PixelSize]

    /// Pixels of a box above which a level is large.
    static let largeBox = 1_000_000

    /// Returns the chains that wanted levels need.
    ///
    /// - Parameters:
    ///   - seen: the original's size with its orientation applied.
    ///   - wanted: a level that isn't configured has a chain of its own.
    static func chains(
        of seen: PixelSize, configured: [Level], wanted: [Level]
    ) -> [LevelChain] {
        // Levels that are cropped begin with the whole picture, too.
        func whole(_ level: Level) -> PixelSize { Framing(level, of: seen).whole }
        func sizes(_ levels: [Level]) -> [PixelSize] {
            Set(levels.map(whole)).sorted { PixelSize.isSmaller($1, $0) }
        }
        let small = sizes(configured.filter { !$0.isLarge })
        // A size that both have is the original's own, and then equal in both.
        let large = sizes(configured.filter(\.isLarge)).filter { !small.contains($0) }
        let needed = Set(wanted.map(whole))
        let others = sizes(wanted).filter { !small.contains($0) && !large.contains($0) }
        if wanted.isEmpty {
            // For the summary.
            return [LevelChain(sizes: [seen.fitting(PictureSummary.box)])]
        }
        let near = small.count > 1 && isNear(small[0], seen) ? Array(small.prefix(1)) : []
        let last = Array(small.dropFirst(near.count))
        let made = ([large] + others.map { [$0] } + [near]).compactMap { sizes in
            sizes.lastIndex(where: needed.contains).map { LevelChain(sizes: Array(sizes[...$0])) }
        }
        // The smallest level of all makes the summary, wanted or not.
        return small.contains(where: needed.contains) ? made + [LevelChain(sizes: last)] : made
    }

    /// Returns whether a size has more than two thirds of the original's sides.
    private static func isNear(_ size: PixelSize, _ seen: PixelSize) -> Bool {
        // A header may claim any size.
        func isNear(_ side: Int, _ whole: Int) -> Bool { side > whole / 3 * 2 }
        return isNear(size.width, seen.width) && isNear(size.height, seen.height)
    }

    /// Returns the chain divided for a decoder that is much faster at a part of the size: sizes that need the
    /// whole picture, and the others. Those of which no size is wanted are left out, but for the smallest size.
    func runs(of seen: PixelSize, wanted: Set<PixelSize>) -> [LevelChain] {
        let whole = sizes.prefix { seen.shrink(to: $0) == 1 }
        let others = sizes.dropFirst(whole.count)
        if whole.isEmpty || others.isEmpty { return [self] }
        let needed = whole.lastIndex { wanted.contains($0) }.map {
            [LevelChain(sizes: Array(whole[...$0]))]
        }
        return (needed ?? []) + [LevelChain(sizes: Array(others))]
    }

    /// Returns the chains by the factor at which a JPEG is decoded for them, the smallest first.
    static func byShrink(
        _ chains: [LevelChain], of seen: PixelSize
    ) -> [(shrink: Int, chains: [LevelChain])] {
        Dictionary(grouping: chains) { seen.shrink(to: $0.sizes[0]) }
            .sorted { $0.key < $1.key }.map { (shrink: $0.key, chains: $0.value) }
    }

    /// Returns the levels that are made when others are wanted: these, and all of their chains.
    static func made(for wanted: [Level], configured: [Level]) -> [Level] {
        wanted + configured.filter { level in wanted.contains { $0.isLarge == level.isLarge } }
    }
}

extension Level {
    /// Whether the level is in the chain of large ones.
    var isLarge: Bool { .clampedProduct(width, height) > LevelChain.largeBox }

    /// Returns the text of everything in the configured levels that decides this level's bytes: the
    /// boxes of its chain that give a larger thumbnail of some picture.
    func chainText(_ configured: [Level]) -> String {
        // Its size may be that of a configured level, and then it has that level's pixels.
        if fit == .ground { return Set(configured.map(\.box)).sorted().joined(separator: ",") }
        guard configured.contains(where: { $0.box == box }) else { return "alone" }
        let larger = configured.filter { other in
            other.isLarge == isLarge && other.box != box
                && (other.width > width || other.height > height || other.fit != .contain)
        }
        return Set(larger.map(\.box)).sorted().joined(separator: ",")
    }

    /// The box, and how pictures get into it as far as that decides sizes of whole pictures.
    private var box: String {
        switch fit {
        case .contain, .ground: "\(width)x\(height)"
        case .cover: "\(width)x\(height)c"
        }
    }
}
