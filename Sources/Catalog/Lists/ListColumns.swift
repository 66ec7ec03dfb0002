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
