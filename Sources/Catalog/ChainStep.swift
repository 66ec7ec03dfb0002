/// One step of a chain: a URL, a server that makes any size, or another item with its own chain.
package enum ChainStep: Sendable, Hashable, Codable {
    case candidate(Candidate)
    case scalable(ScalableCandidate)
    case item(Item)
}
