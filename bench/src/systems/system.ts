/** What is measured: our engine on a store, or the floor beside it. */
export interface BenchSystem {
  start(): Promise<BenchSession>
  /** One that was started before, by whichever system of the same place. */
  open(id: string): Promise<BenchSession>
}

export interface BenchSession {
  readonly id: string
  /** Asks the question and resolves when the answer is stored. */
  turn(): Promise<void>
  /** Waits for whatever happens in the session, until the signal is aborted. */
  listen(signal: AbortSignal): Promise<void>
}
