package import Imaging

extension ImagingConfiguration {
    /// The service's settings, with a deadline that a busy machine can't miss, and with the tests' own
    /// program for formats that are always rendered in a child process.
    package static var patient: ImagingConfiguration {
        var configuration = ImagingConfiguration()
        configuration.deadline = .seconds(3_600)
        configuration.isolation.clockFactor = 1_000
        configuration.isolation.executable = ChildPrograms.helper
        configuration.isolation.arguments = ["render", "render-child"]
        return configuration
    }
}
