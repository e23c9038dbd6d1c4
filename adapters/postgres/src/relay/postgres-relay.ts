import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { EventRelay, RelayInbound } from '@parley/engine'
import type { Presence } from '../presence.ts'
import { createFrameReader, createFrameWriter, parseNotice } from './frames.ts'
import { fromRuns, type Message } from './messages.ts'
import { createOutbox } from './outbox.ts'

/** What comes within this time of the last sending goes together. */
const GATHER_MS = 8
const MOST_PEERS = 1_000

/** Another process, once it has proven that it is one of ours. */
interface Peer {
  readonly read: ReturnType<typeof createFrameReader>
  /** It has answered us: what it says is said now, and not said again by somebody who heard it earlier. */
  isHeard: boolean
  /** It said that it ends. It is remembered, so that nobody speaks for it later. */
  isGone: boolean
}

export interface PostgresRelay extends EventRelay {
  /** Tells the others that this process ends. */
  leave(): Promise<void>
}

/** Events between processes, by notices of Postgres. A process that is alone sends nothing. */
export function postgresRelay(presence: Presence, secret: Buffer): PostgresRelay {
  const me = randomBytes(12).toString('base64url')
  const write = createFrameWriter(secret, me)
  const outbox = createOutbox()
  const peers = new Map<string, Peer>()
  let isAlone = true
  let inbound: RelayInbound | undefined
  let sending: Promise<void> | undefined

  const sendAll = async () => {
    while (!outbox.isEmpty()) {
      for (const notice of write(JSON.stringify(outbox.take()))) presence.notify(notice)
      await presence.sent()
      await pause(GATHER_MS, undefined, { ref: false })
    }
    sending = undefined
  }
  const send = () => {
    sending ??= Promise.resolve().then(sendAll)
  }
  const tell = (message: Message) => {
    outbox.put(message)
    send()
  }

  const countPeers = () => {
    const [oldest] = peers.keys()
    if (peers.size > MOST_PEERS && oldest !== undefined) peers.delete(oldest)
    isAlone = [...peers.values()].every(({ isGone }) => isGone)
  }

  const takeFrom = (sender: string, peer: Peer, message: Message) => {
    if (message.kind === 'hello') tell({ kind: 'here', to: sender, answer: true })
    else if (message.kind === 'here') {
      if (message.to !== me) return
      peer.isHeard = true
      if (message.answer) tell({ kind: 'here', to: sender, answer: false })
      // Until now, one may have told what the other did not hear.
      inbound?.restarted()
    } else if (message.kind === 'bye') {
      peer.isGone = true
      countPeers()
    } else if (peer.isHeard && inbound) takeIn(inbound, message)
  }

  presence.attend({
    onNotice(text) {
      const notice = parseNotice(text)
      if (!notice || notice.sender === me) return
      const { sender } = notice
      const peer = peers.get(sender) ?? newPeer(createFrameReader(secret, sender))
      const frame = peer.read(notice)
      if (!frame) return
      if (!peers.has(sender)) {
        peers.set(sender, peer)
        countPeers()
      }
      if (frame.text === undefined) return
      for (const message of JSON.parse(frame.text) as readonly Message[]) takeFrom(sender, peer, message)
    },
    onReturn() {
      tell({ kind: 'hello' })
      inbound?.restarted()
    },
  })

  return {
    connect(given) {
      inbound = given
      tell({ kind: 'hello' })
    },
    tellStored(sessionId, upTo) {
      if (isAlone) return
      outbox.stored(sessionId, upTo)
      send()
    },
    tellSaid(sessionId, events) {
      if (isAlone) return
      outbox.said(sessionId, events)
      send()
    },
    ask(sessionId) {
      if (isAlone) return
      outbox.ask(sessionId)
      send()
    },
    async leave() {
      if (isAlone) return
      tell({ kind: 'bye' })
      await sending
    },
  }
}

const newPeer = (read: Peer['read']): Peer => ({ read, isHeard: false, isGone: false })

function takeIn(inbound: RelayInbound, message: Message): void {
  if (message.kind === 'ask') inbound.asked(message.sessionId)
  else if (message.kind === 'stored') inbound.stored(message.sessionId, message.upTo)
  else if (message.kind === 'said') inbound.said(message.sessionId, fromRuns(message.sessionId, message.runs))
  else if (message.kind === 'lost') inbound.restarted()
}
