package import Imaging

extension ImagingConfiguration {
    /// As the service has it, but on a busy machine a render may take its time: its threads leave the
    /// cores to everybody else.
    package static var patient: ImagingConfiguration {
        var configuration = ImagingConfiguration()
        configuration.deadline = .seconds(3_600)
        return configuration
    }
}
