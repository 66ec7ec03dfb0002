import TestSupport

@testable import Imaging

extension IsolationPolicy {
    /// Renders in this process what may be, and the rest with the renderer beside the tests.
    static var inside: IsolationPolicy {
        var policy = child()
        policy.scope = .none
        return policy
    }

    /// The renderer beside the tests; see `RenderChild` for what it can be told to do.
    static func child(_ what: String = "render-child") -> IsolationPolicy {
        var policy = IsolationPolicy()
        policy.scope = .all
        policy.executable = ChildPrograms.renderer
        policy.arguments = [what]
        // A machine with other things to do is no reason to fail.
        policy.deadline = .seconds(60)
        return policy
    }
}
