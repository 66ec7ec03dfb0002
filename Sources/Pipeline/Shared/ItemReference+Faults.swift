import Catalog
import FoundationEssentials
import Imaging
import Store

/// What a reference may say. The shared store may hold anything, and what is taken from there goes into the
/// index.
extension ItemReference {
    /// Items of a list, such as levels.
    private static let mostEntries = 4_096
    /// Bytes of a URL, of a validator, and of a sentence.
    private static let mostText = 16 << 10
    /// Bytes of a name.
    private static let mostName = 512

    /// Why the reference is not believed, as a phrase; nil if it is.
    var fault: String? {
        let resolutions = record.resolutions
        guard resolutions.count <= Self.mostEntries, originals.count <= Self.mostEntries else {
            return "it has too many entries"
        }
        return resolutions.lazy.compactMap(\.fault).first
            ?? originals.lazy.compactMap(\.fault).first
            ?? details.flatMap(Self.fault)
    }

    private static func fault(_ details: Timed<ItemDetails>) -> String? {
        guard StoredBounds.holds(details.fetchedAt), StoredBounds.holds(details.expiresAt) else {
            return "a date of its details is in no calendar"
        }
        let sides = details.value.chain.flatMap { step -> [Int] in
            guard case .candidate(let candidate) = step else { return [] }
            return [candidate.width, candidate.height].compactMap(\.self)
        }
        return sides.allSatisfy(StoredBounds.sides.contains)
            ? nil : "a candidate has an impossible size"
    }

    fileprivate static func isText(_ text: String?) -> Bool {
        text.map { StoredBounds.holds($0, most: mostText) } ?? true
    }

    fileprivate static func isName(_ text: String) -> Bool {
        !text.isEmpty && StoredBounds.holds(text, most: mostName) && !text.contains(" ")
    }
}

extension ItemRecord.Resolution {
    fileprivate var fault: String? {
        guard !levels.isEmpty, levels.allSatisfy(ItemReference.isName) else {
            return "a level has an impossible name"
        }
        let dates = [resolvedAt, freshUntil, failure?.until].compactMap(\.self)
        guard dates.allSatisfy({ StoredBounds.holds($0) }) else {
            return "a date is in no calendar"
        }
        guard ItemReference.isText(url), ItemReference.isText(failure?.kind) else {
            return "a URL has characters that none has"
        }
        let reason = failure?.reason ?? ""
        return reason.utf8.count <= 1 << 16 && !reason.utf8.contains(0)
            ? nil : "the reason of a failure is too long"
    }
}

extension ItemReference.Original {
    fileprivate var fault: String? {
        let isUnknown = width == 0 && height == 0 && thumbHash == nil
        guard isUnknown || StoredBounds.holds(width: width, height: height) else {
            return "an original has the impossible size \(width)×\(height)"
        }
        guard StoredBounds.bytes.contains(byteCount) else {
            return "an original has an impossible number of bytes"
        }
        guard StoredBounds.holds(fetchedAt), StoredBounds.holds(freshUntil) else {
            return "a date of an original is in no calendar"
        }
        guard [url, entityTag, lastModified, format].allSatisfy(ItemReference.isText) else {
            return "an original has characters that no URL and no field has"
        }
        guard thumbHash.map({ (1...64).contains($0.count) }) ?? true,
            color.map({ RGB(hex: $0) != nil }) ?? true
        else { return "the preview of an original is none" }
        let isBundle = bundles.allSatisfy { recipe, bundle in
            ItemReference.isName(recipe) && (0...PictureBundle.maxBytes).contains(bundle.byteCount)
                && (1...64).contains(bundle.sha256.utf8.count)
        }
        return isBundle ? nil : "a bundle is described impossibly"
    }
}
