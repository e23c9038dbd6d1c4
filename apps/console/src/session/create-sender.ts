import { type ApiClient, turnsOf } from '@parley/api-client'
import type { SessionId } from '@parley/contracts'
import type { Keep } from '../app/keep.ts'
import { messageOf } from '../ui/message-of.ts'
import { keepOutbox, type Outgoing, stillOut } from './outbox.ts'
import type { OpenSession } from './session-state.ts'

interface SenderHost {
  readonly sessionId: SessionId
  readonly client: ApiClient
  readonly keep: Keep
  readonly newKey: () => string
  readonly opened: () => OpenSession | undefined
  readonly change: (part: Partial<OpenSession>) => void
  readonly onFailed: () => void
}

/** Sends messages, and keeps each until the transcript shows it. */
export function createSender({ sessionId, client, keep, newKey, opened, change, onFailed }: SenderHost) {
  const changeOutbox = (outbox: readonly Outgoing[]) => {
    keepOutbox(keep, sessionId, outbox)
    change({ outbox })
  }
  const mark = (key: string, part: Partial<Outgoing>) => {
    const outbox = opened()?.outbox ?? []
    changeOutbox(outbox.map((outgoing) => (outgoing.key === key ? { ...outgoing, ...part } : outgoing)))
  }
  const settle = () => {
    const open = opened()
    if (!open) return
    const left = stillOut(open.outbox, open.transcript)
    if (left !== open.outbox) changeOutbox(left)
  }

  const attempt = async ({ key, text }: Outgoing) => {
    mark(key, { state: 'sending' })
    try {
      const { turnId } = await client.sessions.send({ sessionId, text, idempotencyKey: key })
      mark(key, { state: 'accepted', turnId })
      settle()
    } catch (failure) {
      mark(key, { state: 'failed', reason: messageOf(failure) })
      onFailed()
    }
  }

  return {
    /** Lets go of what the transcript shows by now. */
    settle,

    send: (text: string) => {
      const open = opened()
      if (!open) return
      const afterTurn = turnsOf(open.transcript).at(-1)?.key ?? 0
      const outgoing: Outgoing = { key: newKey(), text, afterTurn, state: 'sending' }
      changeOutbox([...open.outbox, outgoing])
      void attempt(outgoing)
    },

    sendAgain: (key: string) => {
      const outgoing = opened()?.outbox.find((one) => one.key === key)
      if (outgoing) void attempt(outgoing)
    },

    discard: (key: string) => {
      changeOutbox((opened()?.outbox ?? []).filter((outgoing) => outgoing.key !== key))
    },
  }
}
