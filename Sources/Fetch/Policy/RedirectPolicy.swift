/// Decides which parts of a request follow a redirect. Pure.
enum RedirectPolicy {
    /// Returns whether the status names another place in `Location`. 300 doesn't: it offers a
    /// choice.
    static func isRedirect(_ status: Int) -> Bool {
        switch status {
        case 301, 302, 303, 307, 308: true
        default: false
        }
    }

    /// Returns the method with which to follow `status`, or nil if it must not be followed. A method
    /// that has a body keeps it.
    ///
    /// 303 always means GET; 301 and 302 turn a POST into GET as every browser does (RFC 9110,
    /// section 15.4). A POST kept by 307 or 308 stays at its origin: its body may hold credentials.
    static func method(
        after status: Int, _ method: FetchRequest.Method, sameOrigin: Bool
    ) -> FetchRequest.Method? {
        switch (status, method) {
        case (_, .head): .head
        case (301, _), (302, _), (303, _), (_, .get): .get
        case (_, .post), (_, .put), (_, .delete), (_, .purge), (_, .ban):
            sameOrigin ? method : nil
        }
    }

    /// Returns whether a field may go to another origin. Any other field may be a credential.
    static func isPublic(field name: String) -> Bool {
        ["accept", "accept-language", "if-none-match", "if-modified-since"]
            .contains(name.lowercased())
    }
}
