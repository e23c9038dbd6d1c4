import { randomBytes } from 'node:crypto'
import type { SessionId } from '@parley/contracts'
import type { EventRelay, RelayInbound, StreamedEvent } from '@parley/engine'
import type { Presence } from '../presence.ts'
import { type Notice, readNotice, writeNotice } from './notice.ts'
import { createAssembler, split } from './pieces.ts'
import { createOpener, createSealer } from './seal.ts'

/** Text of a session that comes within this time goes together. */
const GATHER_MS = 15
/** What may wait to be sent for one session, in characters; more is left to the store. */
const MOST_WAITING = 500_000
const MOST_SENDERS = 1_000

/** Events between processes, by notices of Postgres. A process that is alone sends nothing. */
export function postgresRelay(presence: Presence, secret: Buffer): EventRelay {
  const sender = randomBytes(16).toString('hex')
  const seal = createSealer(secret, sender)
  const waiting = new Map<SessionId, { readonly events: StreamedEvent[]; weight: number }>()
  const senders = new Map<string, ReturnType<typeof createSender>>()
  let inbound: RelayInbound | undefined
  let isAlone = true
  let gathering: NodeJS.Timeout | undefined

  const send = (notice: Notice) => presence.notify(writeNotice(notice))

  const flush = () => {
    gathering = undefined
    for (const [sessionId, { events }] of waiting) {
      const { counter, sealed } = seal(JSON.stringify({ sessionId, events }))
      const pieces = split(sealed) ?? []
      for (const [index, text] of pieces.entries())
        send({ kind: 'said', sender, piece: { counter, index, count: pieces.length, text } })
    }
    waiting.clear()
  }

  const senderOf = (name: string) => {
    const known = senders.get(name) ?? createSender(secret, name)
    senders.set(name, known)
    const [oldest] = senders.keys()
    if (senders.size > MOST_SENDERS && oldest !== undefined) senders.delete(oldest)
    return known
  }

  const take: { readonly [K in Notice['kind']]: (notice: Extract<Notice, { kind: K }>) => void } = {
    hello() {
      isAlone = false
      send({ kind: 'here', sender })
      // What it told before it said hello may have been lost.
      inbound?.restarted()
    },
    here() {
      isAlone = false
    },
    ask: ({ sessionId }) => inbound?.asked(sessionId),
    stored: ({ sessionId, upTo }) => inbound?.stored(sessionId, upTo),
    said({ sender: name, piece }) {
      const said = senderOf(name)(piece)
      if (said) inbound?.said(said.sessionId, said.events)
    },
  }

  presence.attend({
    onNotice(text) {
      const notice = readNotice(text)
      if (notice && notice.sender !== sender) (take[notice.kind] as (notice: Notice) => void)(notice)
    },
    onReturn() {
      send({ kind: 'hello', sender })
      inbound?.restarted()
    },
  })

  return {
    tellStored(sessionId, upTo) {
      if (isAlone) return
      // It is in the store now, and read from there.
      waiting.delete(sessionId)
      send({ kind: 'stored', sender, sessionId, upTo })
    },

    tellSaid(sessionId, events) {
      if (isAlone) return
      const held = waiting.get(sessionId) ?? { events: [], weight: 0 }
      for (const event of events) {
        held.weight += WEIGHT + (event.type === 'agent:token' ? event.token : event.text).length
        if (held.weight < MOST_WAITING) held.events.push(event)
      }
      waiting.set(sessionId, held)
      gathering ??= setTimeout(flush, GATHER_MS).unref()
    },

    ask(sessionId) {
      if (!isAlone) send({ kind: 'ask', sender, sessionId })
    },

    connect(given) {
      inbound = given
      send({ kind: 'hello', sender })
    },
  }
}

/** An event's own weight, beside its text. */
const WEIGHT = 250

interface SaidFrame {
  readonly sessionId: SessionId
  readonly events: readonly StreamedEvent[]
}

/** Another process, as far as it can prove that it is one of ours. */
function createSender(secret: Buffer, name: string) {
  const open = createOpener(secret, name)
  const assemble = createAssembler()
  return (piece: Parameters<typeof assemble>[0]): SaidFrame | undefined => {
    const sealed = assemble(piece)
    const text = sealed === undefined ? undefined : open(piece.counter, sealed)
    return text === undefined ? undefined : (JSON.parse(text) as SaidFrame)
  }
}
