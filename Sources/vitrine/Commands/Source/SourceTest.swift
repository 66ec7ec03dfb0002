import Catalog

/// What a source answered about one item or one page.
struct SourceTest: Sendable {
    enum Subject: Sendable, Equatable {
        case item(Item)
        case page(ListQuery)
    }

    let subject: Subject
    private(set) var steps: [SourceRecorder.Step] = []
    /// The item, or those of the page.
    private(set) var items: [ItemDetails] = []
    private(set) var failure: Failure?

    /// Asks the source.
    init(_ subject: Subject, of source: ConfiguredSource, api: any APIReading) async {
        self.subject = subject
        let recorder = SourceRecorder()
        var source = source
        source.recorder = recorder
        do throws(Failure) {
            switch subject {
            case .item(let item): items = [try await source.details(of: item, api: api)]
            case .page(let query):
                items = try await source.page(query, api: api)?.items ?? []
            }
        } catch {
            failure = error
        }
        steps = recorder.steps
    }

    /// Whether the picture or the item is missing.
    var isEmpty: Bool {
        switch subject {
        case .item: items.allSatisfy(\.chain.isEmpty)
        case .page: items.isEmpty
        }
    }
}
