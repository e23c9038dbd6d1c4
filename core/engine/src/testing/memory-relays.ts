import type { EventRelay, RelayInbound } from '../ports/event-relay.ts'

export type RelayMessage = 'stored' | 'said' | 'asked' | 'restarted'

/** Relays between processes in memory. What is told waits until a test delivers it, so the test says what comes when. */
export function memoryRelays() {
  const ends = new Set<End>()

  const open = () => {
    const end: End = { waiting: [], inbound: undefined }
    ends.add(end)
    const send = (kind: RelayMessage, carry: Letter['carry']) => {
      if (!ends.has(end)) return
      for (const other of ends) if (other !== end) other.waiting.push({ kind, carry })
    }
    const relay: EventRelay = {
      tellStored: (sessionId, upTo) => send('stored', (inbound) => inbound.stored(sessionId, upTo)),
      tellSaid: (sessionId, events) => send('said', (inbound) => inbound.said(sessionId, events)),
      ask: (sessionId) => send('asked', (inbound) => inbound.asked(sessionId)),
      connect(inbound) {
        end.inbound = inbound
      },
    }
    return {
      relay,
      /** What is under way to this process. */
      waiting: (): readonly RelayMessage[] => end.waiting.map(({ kind }) => kind),
      /** Delivers the next of what is under way to this process. */
      deliver(count = Number.POSITIVE_INFINITY) {
        for (const { carry } of end.waiting.splice(0, count)) if (end.inbound) carry(end.inbound)
      },
      /** Loses what is under way and is of this kind, and tells nobody. */
      drop(kind: RelayMessage) {
        end.waiting = end.waiting.filter((letter) => letter.kind !== kind)
      },
      /** Loses all that is under way, as a connection does that breaks and comes back; then everybody is told so. */
      breakOff() {
        end.waiting = []
        end.inbound?.restarted()
        send('restarted', (inbound) => inbound.restarted())
      },
      /** The process is gone. */
      leave: () => ends.delete(end),
    }
  }

  return { open }
}

interface Letter {
  readonly kind: RelayMessage
  readonly carry: (inbound: RelayInbound) => void
}

interface End {
  waiting: Letter[]
  inbound: RelayInbound | undefined
}
