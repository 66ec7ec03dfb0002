/// How an origin stands that was asked lately, under the name that counts of it have.
package struct OriginLoad: Sendable, Equatable {
    package var name: String
    /// 0: it is asked; 1: the next transfer is a probe; 2: it rests, after failures in a row.
    package var breaker: Int
    /// Transfers that wait for a turn.
    package var waiting: Int
    package var running: Int
}
