/// One page of a list, as its source returned it.
package struct CatalogPage: Sendable, Equatable, Codable {
    package var items: [ItemDetails]
    /// The query of the next page; `nil` on the last page.
    package var next: ListQuery?
    /// Number of items in the whole list, if the source names it.
    package var total: Int?
    /// Index of the page's first item within its list.
    ///
    /// It is an upper bound if only the sizes of the earlier pages are known (TVmaze: 250 per
    /// page).
    package var firstIndex: Int?
    /// Directories in the one that is listed; nil for lists of other things.
    package var directories: [String]?

    package init(
        items: [ItemDetails], next: ListQuery?, total: Int? = nil, firstIndex: Int? = nil
    ) {
        self.items = items
        self.next = next
        self.total = total
        self.firstIndex = firstIndex
    }
}
