/// Small pictures never wait behind large ones: each kind has threads and memory of its own.
package enum RenderLane: String, Sendable, CaseIterable { case quick, slow }
