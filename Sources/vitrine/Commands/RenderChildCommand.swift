import ArgumentParser
import Imaging

/// The program starts itself with this command to render in a process without rights. Not for
/// people.
struct RenderChildCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "render-child", abstract: "Render what another process sends.",
        shouldDisplay: false)

    func run() { RenderChild.run() }
}
