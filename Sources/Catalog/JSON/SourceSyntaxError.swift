/// Why a path or a template of a configuration can't be read.
package struct SourceSyntaxError: Error, Equatable {
    /// Completes a sentence after the place: `expected a name after “.”`.
    package var reason: String
    /// From one, in characters.
    package var column: Int
}
