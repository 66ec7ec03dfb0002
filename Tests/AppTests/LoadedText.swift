@testable import App

/// Loads the settings of a file's text.
func loadedSettings(
    _ text: String, environment: [String: String] = [:]
) throws(ConfigurationError) -> Settings {
    let file = try ConfigurationFile(path: "v.yaml", text: text)
    return try SettingsLayers(environment: environment, file: file).load().settings
}

/// Returns the sentence about the first mistake in a file's text; nil without one.
func complaint(_ text: String, environment: [String: String] = [:]) -> String? {
    do throws(ConfigurationError) {
        _ = try loadedSettings(text, environment: environment)
        return nil
    } catch {
        return error.isUsage ? nil : error.description
    }
}
