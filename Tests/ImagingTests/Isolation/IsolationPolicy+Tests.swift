import TestSupport

@testable import Imaging

extension IsolationPolicy {
    /// Renders in this process, except the formats that always need a child.
    static var inside: IsolationPolicy {
        var policy = child()
        policy.isOn = false
        return policy
    }

    /// The tests' own renderer; see `RenderCommand` for what it can do.
    static func child(_ what: String = "render-child") -> IsolationPolicy {
        var policy = IsolationPolicy()
        policy.isOn = true
        policy.executable = ChildPrograms.helper
        policy.arguments = ["render", what]
        // Enough for a busy machine.
        policy.deadline = .seconds(60)
        return policy
    }
}
