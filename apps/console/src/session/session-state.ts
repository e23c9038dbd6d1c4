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
  readonly earlier: 'none' | 'there' | 'loading' | 'failed'
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

/** A value with listeners. */
export function createBatchedState<T>(opening: T, showEveryMs: number) {
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
    set: (next: T) => {
      state = next
      show()
    },
    /** For frequent changes: batches them into one notification. */
    setSoon: (next: T) => {
      state = next
      showing ??= setTimeout(show, showEveryMs)
    },
    subscribe: (listener: () => void) => {
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
      }
    },
  }
}
