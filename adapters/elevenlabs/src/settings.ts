/** How long a kind of call may take, waits and further attempts included. */
export interface CallLimits {
  readonly attempts: number
  readonly attemptMs: number
  readonly deadlineMs: number
}

/** `credential`: what a person waits for at the start of a session. `write`: never asked twice. */
export type CallKind = 'credential' | 'read' | 'write'

export interface ElevenLabsSettings {
  readonly apiKey: string
  /** The service itself, a residency's address, or a local provider. */
  readonly baseUrl?: string
  readonly limits?: Partial<Record<CallKind, CallLimits>>
  /** How long a run of agent tests is waited for. */
  readonly testRunMs?: number
  readonly now?: () => number
  /** From 0 up to 1. */
  readonly random?: () => number
  /** Rejects where the signal aborts. */
  readonly sleep?: (ms: number, signal: AbortSignal) => Promise<void>
}
