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

/// A line of a list that can't be read.
package struct BadLine: Error, Equatable {
    package var line: Int
    package var reason: String

    package init(line: Int, reason: String) {
        self.line = line
        self.reason = reason
    }
}

/// A list of which no line can be read. The reason is one sentence, or two.
package struct UnreadableList: Error, Equatable {
    package var reason: String
}

/// How many rows a list has.
package struct ListedRows: Sendable, Equatable {
    package var all: Int
    /// Those that repeat an earlier one.
    package var doubles: Int
    /// Those that can't be read.
    package var refused: Int

    package init(all: Int, doubles: Int, refused: Int) {
        self.all = all
        self.doubles = doubles
        self.refused = refused
    }
}

/// A row of a list.
package typealias ListedRow = Result<ListedPicture, BadLine>

/// The columns that an operator names, for lists whose names and values don't tell. A number counts columns
/// from 1.
package struct ListColumns: Sendable, Equatable {
    package var url: String?
    package var id: String?
    package var title: String?

    package init(url: String? = nil, id: String? = nil, title: String? = nil) {
        self.url = url
        self.id = id
        self.title = title
    }
}
