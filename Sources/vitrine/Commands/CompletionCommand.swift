import ArgumentParser

struct CompletionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "completion",
        abstract: "Print a script that completes commands and options in your shell.",
        usage: "vitrine completion <shell>",
        discussion: """
              source <(vitrine completion bash)                      this bash
              vitrine completion zsh > "${fpath[1]}/_vitrine"        every zsh
              vitrine completion fish | source                       this fish

            The package installs all three.
            """)

    /// A shell whose language the script is in.
    enum Shell: String, ExpressibleByArgument, CaseIterable {
        case bash
        case zsh
        case fish
    }

    @Argument(help: ArgumentHelp("bash, zsh or fish.", valueName: "shell"))
    var shell: Shell

    func run() {
        guard let shell = CompletionShell(rawValue: shell.rawValue) else { return }
        print(Vitrine.completionScript(for: shell))
    }
}
