import Glibc

/// Blobs that could not be put: the first failed, and those after it were not tried.
struct UnputBlobs: Sendable {
    var blobs: ArraySlice<HashedBytes>
    var error: StoreError
}

/// Several blobs at a time, as the levels of a picture come: one lock and one change of the ledger
/// for all of them.
extension BlobFiles {
    /// Does the same as one ``put(_:)-(HashedBytes)`` after the other.
    func put(_ blobs: [HashedBytes]) -> UnputBlobs? {
        let rest = putTogether(blobs)
        for (index, blob) in rest.enumerated() {
            do throws(StoreError) {
                _ = try put(blob)
            } catch {
                return UnputBlobs(blobs: rest[index...], error: error)
            }
        }
        return nil
    }

    /// Puts what there is room for and nothing is wrong with. Returns the others.
    private func putTogether(_ blobs: [HashedBytes]) -> [HashedBytes] {
        // Syncing costs more than all that is saved here.
        guard !blobs.isEmpty, durability == .process else { return blobs }
        var (absent, rest): ([HashedBytes], [HashedBytes]) = ([], [])
        for blob in blobs where !absent.contains(where: { $0.digest == blob.digest }) {
            switch isWhole(blob) {
            case true: continue
            case false where blob.bytes.count <= Self.maxBytes: absent.append(blob)
            default: rest.append(blob)
            }
        }
        guard !absent.isEmpty else { return rest }
        return rest
            + space.ledger.changes.during(Set(absent.map(\.digest.fan))) { writeTogether(absent) }
    }

    /// Returns whether the blob is there; nil if that can't be told, or another file is.
    private func isWhole(_ blob: HashedBytes) -> Bool? {
        let status: stat?
        do throws(Errno) {
            status = try fileStatus(layout.blob(blob.digest))
        } catch {
            return nil
        }
        guard let status else { return false }
        return status.isRegular && status.st_size == blob.bytes.count ? true : nil
    }

    /// Counts blobs that are absent, and writes them. Returns those that are not written.
    private func writeTogether(_ blobs: [HashedBytes]) -> [HashedBytes] {
        // Directories that may be missing are counted as well, so that a death leaves a count that
        // is too high.
        let additions = blobs.map { blob in
            DiskSpace.Addition(
                place: CountedPlace(blob.digest), blob: blob.bytes.count,
                directories: directories.contains(blob.digest) ? 0 : 1)
        }
        guard space.admit(additions) else { return blobs }
        var unwritten: [HashedBytes] = []
        var surplus: [DiskSpace.Addition] = []
        for (blob, addition) in zip(blobs, additions) {
            var excess = DiskSpace.Addition(place: addition.place)
            if addition.directories > 0, !makeMissingDirectory(of: blob.digest) {
                excess.directories = 1
            }
            if !writeCounted(blob) {
                excess.blob = addition.blob
                unwritten.append(blob)
            }
            if excess.blob != nil || excess.directories > 0 { surplus.append(excess) }
        }
        space.release(surplus)
        return unwritten
    }

    /// Returns whether the directory of a blob was missing, and is there now.
    private func makeMissingDirectory(of digest: Digest) -> Bool {
        let isMade = Errno.optional { () throws(Errno) in
            try StoreLayout.makeDirectoryIfMissing(layout.directory(digest))
        }
        if isMade != nil { directories.insert(digest) }
        return isMade ?? false
    }

    private func writeCounted(_ blob: HashedBytes) -> Bool {
        do throws(StoreError) {
            return try attempt(blob.bytes, blob.digest) == .published
        } catch {
            // Trying again says what is wrong.
            return false
        }
    }
}
