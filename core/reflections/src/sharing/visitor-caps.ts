/** What visitors may take, for each link unless it says otherwise. */
export const VISITOR_CAPS = {
  sessionsAtOnce: 50,
  /** A session in which nothing happened for so long is not on any more. */
  idleMs: 30 * 60_000,
  /** To connect anew to a call counts as one more. */
  startsPerDay: 500,
  reconnectsPerSession: 5,
  microcentsPerDay: 500_000_000,
  turnsPerSession: 40,
  /** Of each request, which is a message and what JSON puts around it. */
  bodyBytes: 16 * 1_024,
  /** Of one visitor, at one process. */
  streamsAtOnce: 8,
} as const
