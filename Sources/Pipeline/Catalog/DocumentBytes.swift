import Catalog

// What catalog documents take in memory, in bytes. Estimates: fields as Swift lays them out, and texts
// with the heads of their buffers.

extension String {
    /// Bytes outside of the value. Up to 15 are inside of it.
    var bytesOutside: Int { utf8.count < 16 ? 0 : utf8.count + 32 }
}

extension Item {
    var bytesOutside: Int { source.bytesOutside + kind.bytesOutside + id.bytesOutside }
}

extension [String?] {
    fileprivate var bytesOutside: Int { reduce(0) { $0 + ($1?.bytesOutside ?? 0) } }
}

/// Head of an array's or a dictionary's buffer.
private let bufferBytes = 32

extension ItemDetails {
    /// Bytes of the value and of what it refers to.
    var bytes: Int {
        MemoryLayout<Self>.stride + bufferBytes + entry.bytesOutside
            + [absence, unread].bytesOutside
            + chain.reduce(0) { $0 + MemoryLayout<ChainStep>.stride + $1.bytesOutside }
    }
}

extension ChainStep {
    fileprivate var bytesOutside: Int {
        switch self {
        case .candidate(let one): one.url.bytesOutside + one.label.bytesOutside
        case .scalable(let one): one.template.bytesOutside + one.label.bytesOutside
        case .item(let item): item.bytesOutside
        }
    }
}

extension CatalogEntry {
    fileprivate var bytesOutside: Int {
        let texts = [
            title, language, subtitle, objectNumber, date, summary, link, rights, medium, type,
            technique, material, dimensions, creditLine,
        ]
        return texts.bytesOutside + item.bytesOutside
            + genres.reduce(bufferBytes) { $0 + MemoryLayout<String>.stride + $1.bytesOutside }
            + (translations ?? [:]).reduce(bufferBytes) {
                $0 + $1.key.bytesOutside + $1.value.bytes
            }
            + (tracks ?? []).reduce(bufferBytes) {
                $0 + MemoryLayout<Track>.stride + $1.title.bytesOutside
            }
    }
}

extension CatalogEntry.Translation {
    fileprivate var bytes: Int {
        let texts = [
            title, subtitle, language, summary, medium, type, technique, material, dimensions,
            creditLine,
        ]
        // A dictionary keeps a quarter of its places free, or more.
        return 2 * (MemoryLayout<Self>.stride + MemoryLayout<String>.stride) + texts.bytesOutside
    }
}

extension ListQuery {
    /// Bytes of the value and of what it refers to.
    var bytes: Int {
        MemoryLayout<Self>.stride + bufferBytes + source.bytesOutside + list.bytesOutside
            + (link?.bytesOutside ?? 0)
            + parameters.reduce(0) {
                $0 + 4 * MemoryLayout<String>.stride + $1.key.bytesOutside + $1.value.bytesOutside
            }
    }
}

extension StoredPage {
    /// Bytes of the value and of what it refers to.
    var bytes: Int {
        MemoryLayout<Self>.stride + (page?.next?.bytes ?? 0)
            + (page?.items ?? []).reduce(bufferBytes) { $0 + $1.bytes }
            + (page?.directories ?? []).reduce(0) {
                $0 + MemoryLayout<String>.stride + $1.bytesOutside
            }
    }
}
