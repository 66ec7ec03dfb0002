/// Why the settings are invalid. `description` is one sentence with the place, the value and the
/// expected form.
package struct ConfigurationError: Error, Equatable, CustomStringConvertible {
    package let description: String
    /// Whether the mistake is a flag on the command line. Otherwise it is in the configuration.
    package var isUsage = false

    package init(_ description: String, isUsage: Bool = false) {
        self.description = description
        self.isUsage = isUsage
    }
}
