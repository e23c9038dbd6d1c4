import type { ConnectionState, Transcript } from '@parley/api-client'
import type { SessionView } from '@parley/contracts'
import type { Outgoing } from './outbox.ts'

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
  /** Set once the open turn was asked to stop. */
  readonly stopping: boolean
  readonly asking: Asking
}

/** What the person asked of a turn that stands still, until it goes on. */
export type Asking =
  | { readonly kind: 'nothing' | 'asked' }
  | { readonly kind: 'refused'; readonly reason: string }
  /** Somebody was faster: what was asked came to nothing, which is said until something else is asked. */
  | { readonly kind: 'overtaken'; readonly reason: string }

export const NOTHING_ASKED: Asking = { kind: 'nothing' }
