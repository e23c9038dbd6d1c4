/** Where a person types messages. */
export interface Prompt {
  /** The next message; `undefined` once the person leaves. */
  ask(): Promise<string | undefined>
  /** Carries out some work, in which Ctrl-C calls `interrupt` and what is typed waits for the next `ask`. */
  during<T>(work: Promise<T>, interrupt: () => void): Promise<T>
  /** Ends a running `ask`, too. */
  close(): void
}
