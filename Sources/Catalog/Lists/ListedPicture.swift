/// One picture of a list.
package struct ListedPicture: Sendable, Equatable {
    /// Of its first line, from 1.
    package var line: Int
    /// A URL in its normal form, or a path.
    package var place: String
    /// As the list has it; nil for a list without ids.
    package var id: String?
    package var title: String?

    package init(line: Int, place: String, id: String? = nil, title: String? = nil) {
        self.line = line
        self.place = place
        self.id = id
        self.title = title
    }
}

/// A row of a list.
package typealias ListedRow = Result<ListedPicture, BadLine>
