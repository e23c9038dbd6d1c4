/** A measured system: our engine, or the floor. */
export interface BenchSystem {
  start(): Promise<BenchSession>
  /** Opens a session that any system of the same place started. */
  open(id: string): Promise<BenchSession>
}

export interface BenchSession {
  readonly id: string
  /** Sends a question. Resolves when the answer is stored. */
  turn(): Promise<void>
  /** Reads the session's events until the signal aborts. */
  listen(signal: AbortSignal): Promise<void>
}
