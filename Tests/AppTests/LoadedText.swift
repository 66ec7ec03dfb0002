@testable import App

/// Returns the settings of a file's text as a layer.
func settingsFile(_ text: String) throws(ConfigurationError) -> ConfigurationFile {
    try ConfigurationFile(path: "v.yaml", text: text)
}

/// Loads the settings of a file's text.
func loadedSettings(
    _ text: String, environment: [String: String] = [:]
) throws(ConfigurationError) -> Settings {
    try SettingsLayers(environment: environment, file: settingsFile(text)).load().settings
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

extension LoadedSettings {
    /// Returns the value of a key as `vitrine config` shows it.
    func shown(_ key: String) -> String? {
        ConfigurationListing(self).settings.first { $0.key == key }?.value.text
    }
}
