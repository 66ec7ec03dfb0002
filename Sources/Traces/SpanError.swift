/// Why a span's work failed.
package struct SpanError: Sendable, Equatable {
    /// One of few words, for `error.type`.
    package var type: String
    /// A sentence for people, without secrets; empty without any.
    package var message: String

    package init(type: String, message: String = "") {
        self.type = type
        self.message = message
    }
}
