import FoundationEssentials
import GRDB
import Hashing

/// What the index knows of a blob.
struct BlobUse: Sendable, Equatable {
    var isOriginal = false
    /// Whether thumbnails of it are stored, if it is an original.
    var hasThumbnails = false
    /// The originals of the thumbnails with these bytes.
    var thumbnailOf: Set<Digest> = []
    /// Items that show it; of a thumbnail, those of its originals.
    var items: Set<String> = []

    var isNamed: Bool { isOriginal || !thumbnailOf.isEmpty }
}

extension IndexRows {
    static func uses(_ database: Database, of digests: [Digest]) throws -> [Digest: BlobUse] {
        var uses: [Digest: BlobUse] = [:]
        for digest in digests {
            let use = try use(database, of: digest, limit: maxItems)
            if use.isNamed { uses[digest] = use }
        }
        return uses
    }

    /// Items of one blob that are looked at. More show a picture only if it stands for many.
    private static let maxItems = 64

    private static func use(
        _ database: Database, of digest: Digest, limit: Int
    ) throws -> BlobUse {
        var use = BlobUse()
        var pictures: [Int64] = []
        if let picture = try knownPicture(database, digest) {
            use.isOriginal =
                try number(
                    database,
                    """
                    SELECT EXISTS (SELECT 1 FROM originals WHERE picture = ?1)
                        OR EXISTS (SELECT 1 FROM resolutions WHERE picture = ?1)
                    """, [picture]) == 1
            use.hasThumbnails =
                try number(
                    database,
                    "SELECT EXISTS (SELECT 1 FROM thumbnails WHERE picture = ?)", [picture]) == 1
            if use.isOriginal { pictures.append(picture) }
        }
        _ = try select(
            database,
            """
            SELECT pictures.id, pictures.digest FROM thumbnails
            CROSS JOIN pictures ON pictures.id = thumbnails.picture
            WHERE \(digestMatches("thumbnails", "?1")) LIMIT ?2
            """, [digest.data, limit]
        ) { columns in
            pictures.append(try columns.next())
            use.thumbnailOf.insert(try columns.nextDigest())
        }
        for picture in Set(pictures) {
            use.items.formUnion(
                try select(
                    database,
                    """
                    SELECT items.name FROM resolutions
                    CROSS JOIN items ON items.id = resolutions.item
                    WHERE resolutions.picture = ? LIMIT ?
                    """, [picture, limit]
                ) { try $0.next() as String })
        }
        return use
    }
}
