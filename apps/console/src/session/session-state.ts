import type { ConnectionState, Transcript } from '@parley/api-client'
import type { SessionView, TurnId } from '@parley/contracts'

export type SessionState =
  | { readonly kind: 'loading' }
  | { readonly kind: 'failed'; readonly error: string; readonly failure?: unknown }
  | OpenSession

export interface OpenSession {
  readonly kind: 'open'
  readonly session: SessionView
  readonly transcript: Transcript
  readonly connection: ConnectionState
  readonly earlier: 'none' | 'available' | 'loading' | 'failed'
  readonly outbox: readonly Outgoing[]
  /** True after a stop request for the open turn. */
  readonly stopping: boolean
  readonly request: TurnRequest
}

/** A message being sent. It leaves the outbox once the transcript shows it. */
export interface Outgoing {
  /** The idempotency key, the same for every attempt. */
  readonly key: string
  readonly text: string
  /** The last turn when it was written; its own turn comes later. */
  readonly afterTurn: number
  readonly state: 'sending' | 'accepted' | 'failed'
  readonly turnId?: TurnId
  readonly reason?: string
}

/** A person's request for a stopped turn, until it continues. */
export type TurnRequest =
  | { readonly kind: 'none' | 'pending' }
  | { readonly kind: 'refused'; readonly reason: string }
  /** Somebody else decided first; shown until the next request. */
  | { readonly kind: 'overtaken'; readonly reason: string }

export const NO_REQUEST: TurnRequest = { kind: 'none' }

/** Whether a call's transcript is still missing. It arrives at once, without an event. */
export const isVoiceCallRunning = (session: SessionView | undefined): boolean =>
  session?.reflection?.transcript === 'pending'

export interface BatchedState<T> {
  readonly get: () => T
  readonly set: (next: T) => void
  /** For frequent changes: batches them into one notification. */
  readonly setSoon: (next: T) => void
  readonly subscribe: (listener: () => void) => () => void
}

export function createBatchedState<T>(opening: T, showEveryMs: number): BatchedState<T> {
  const listeners = new Set<() => void>()
  let state = opening
  let showing: ReturnType<typeof setTimeout> | undefined

  const show = () => {
    clearTimeout(showing)
    showing = undefined
    for (const listener of listeners) listener()
  }

  return {
    get: () => state,
    set: (next) => {
      state = next
      show()
    },
    setSoon: (next) => {
      state = next
      showing ??= setTimeout(show, showEveryMs)
    },
    subscribe: (listener) => {
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
      }
    },
  }
}
