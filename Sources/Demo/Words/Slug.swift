extension String {
    /// As addresses have titles: `the-quiet-harbor`.
    var slug: String {
        let words = lowercased().split { !$0.isLetter && !$0.isNumber && $0 != "’" }
        return words.map { $0.filter { $0 != "’" } }.joined(separator: "-")
    }
}
