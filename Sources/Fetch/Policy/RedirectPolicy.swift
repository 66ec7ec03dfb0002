/// Decides which parts of a request follow a redirect. Pure.
enum RedirectPolicy {
    /// The request to the redirect's target.
    struct Hop: Equatable {
        var method: FetchRequest.Method
        var keepsBody: Bool
        /// Whether fields that may hold secrets are sent, too.
        var keepsSecrets: Bool
    }

    /// Returns whether the status names another place in `Location`. 300 doesn't: it offers a
    /// choice.
    static func isRedirect(_ status: Int) -> Bool {
        switch status {
        case 301, 302, 303, 307, 308: true
        default: false
        }
    }

    /// Returns how to follow `status`, or `nil` if it must not be followed.
    ///
    /// 303 always means GET; 301 and 302 turn a POST into GET as every browser does (RFC 9110,
    /// section 15.4). A POST kept by 307 or 308 stays at its origin: its body may hold credentials.
    static func hop(
        status: Int, method: FetchRequest.Method, sameOrigin: Bool
    ) -> Hop? {
        switch (status, method) {
        case (_, .head):
            Hop(method: .head, keepsBody: false, keepsSecrets: sameOrigin)
        case (301, _), (302, _), (303, _), (_, .get):
            Hop(method: .get, keepsBody: false, keepsSecrets: sameOrigin)
        case (_, .post), (_, .put), (_, .delete), (_, .purge), (_, .ban):
            sameOrigin ? Hop(method: method, keepsBody: true, keepsSecrets: true) : nil
        }
    }

    /// Returns whether a field may go to another origin. Any other field may be a credential.
    static func isPublic(field name: String) -> Bool {
        ["accept", "accept-language", "if-none-match", "if-modified-since"]
            .contains(name.lowercased())
    }
}
