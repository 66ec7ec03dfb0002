package import Catalog
package import Hashing

/// What a block names.
package enum BlockTarget: Sendable, Hashable {
    case item(Item)
    /// A URL in its normal form, wherever a source or a client names it.
    case url(String)
    /// All items whose names begin like this: `tvmaze/show/1`.
    case prefix(String)
    /// The bytes of an original.
    case digest(Digest)

    /// As on the command line.
    package var text: String {
        switch self {
        case .item(let item): item.description
        case .url(let url): url
        case .prefix(let prefix): "\(prefix)*"
        case .digest(let digest): "sha256-\(digest.hex)"
        }
    }

    /// Parses a text of ``text``, without a look at the sources. Nil for any other.
    package init?(text: String) {
        if text.hasPrefix("sha256-") {
            guard let digest = Digest(hex: String(text.dropFirst("sha256-".count))) else {
                return nil
            }
            self = .digest(digest)
        } else if text.schemeMark != nil {
            self = .url(text)
        } else if text.hasSuffix("*") {
            self = .prefix(String(text.dropLast()))
        } else if let item = Item(text) {
            self = .item(item)
        } else {
            return nil
        }
    }
}

extension Sources {
    /// Returns what a text of an operator names, in its one form.
    ///
    /// - Throws: ``Failure`` of kind `unknownSource`, `notFound` for an unknown kind, or `invalid`.
    func blockTarget(_ text: String) throws(Failure) -> BlockTarget {
        if text.hasPrefix("sha256-")
            || text.utf8.count == 2 * Digest.byteCount && !text.contains("/")
        {
            let hex = text.hasPrefix("sha256-") ? String(text.dropFirst("sha256-".count)) : text
            guard let digest = Digest(hex: hex.lowercased()) else {
                throw .invalid(
                    reason: "“\(text)” is not a digest. Digests are sha256- and 64 hexadecimal "
                        + "digits.")
            }
            return .digest(digest)
        }
        if text.schemeMark == nil, text.hasSuffix("*") { return try blockPrefix(text) }
        let item = try self.item(text)
        return SignedURL.shownURL(of: item).map(BlockTarget.url) ?? .item(item)
    }

    private func blockPrefix(_ text: String) throws(Failure) -> BlockTarget {
        let parts = text.dropLast().split(
            separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3 else {
            throw .invalid(
                reason: "“\(text)” is not the beginning of items. They look like tvmaze/show/1*, "
                    + "and tvmaze/show/* is all shows.")
        }
        let source = try named(String(parts[0]))
        guard source.kinds.contains(String(parts[1])) else {
            throw .notFound(
                reason: "\(source.title) has no kind “\(parts[1])”; it has "
                    + source.kinds.map { "“\($0)”" }.listed(by: "and") + ".")
        }
        return .prefix(String(text.dropLast()))
    }
}
