import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { SessionId } from '@parley/contracts'
import type { EventRelay, RelayInbound, StreamedEvent } from '@parley/engine'
import type { Presence } from '../presence.ts'
import { createFrameReader, createFrameWriter, parseNotice } from './frames.ts'

/** Messages within this time after the last sending go together. */
const BATCH_INTERVAL_MS = 8
const MAX_PEERS = 1_000

/** Another process that has proven to be one of ours. */
interface Peer {
  readonly read: ReturnType<typeof createFrameReader>
  /** It has answered us, so its messages are not replayed. */
  hasAnswered: boolean
  /** It announced its end. Remembered, so that nobody can impersonate it later. */
  isGone: boolean
}

export interface PostgresRelay extends EventRelay {
  /** Tells the others that this process ends. */
  leave(): Promise<void>
}

/** Relays events between processes by Postgres notices. A single process sends nothing. */
export function postgresRelay(presence: Presence, secret: Buffer): PostgresRelay {
  const ownId = randomBytes(12).toString('base64url')
  const write = createFrameWriter(secret, ownId)
  const outbox = createOutbox()
  const peers = new Map<string, Peer>()
  let isAlone = true
  let inbound: RelayInbound | undefined
  let sending: Promise<void> | undefined

  const sendAll = async () => {
    while (!outbox.isEmpty()) {
      for (const notice of write(JSON.stringify(outbox.take()))) presence.notify(notice)
      await presence.waitUntilSent()
      await pause(BATCH_INTERVAL_MS, undefined, { ref: false })
    }
    sending = undefined
  }
  const send = () => {
    sending ??= Promise.resolve().then(sendAll)
  }
  const enqueue = (message: RelayMessage) => {
    outbox.put(message)
    send()
  }

  const updatePeers = () => {
    const [oldest] = peers.keys()
    if (peers.size > MAX_PEERS && oldest !== undefined) peers.delete(oldest)
    isAlone = [...peers.values()].every(({ isGone }) => isGone)
  }

  const handleMessage = (sender: string, peer: Peer, message: RelayMessage) => {
    if (message.kind === 'hello') enqueue({ kind: 'here', to: sender, answer: true })
    else if (message.kind === 'here') {
      if (message.to !== ownId) return
      peer.hasAnswered = true
      if (message.answer) enqueue({ kind: 'here', to: sender, answer: false })
      // Before this, messages may have been lost.
      inbound?.onMissed()
    } else if (message.kind === 'bye') {
      peer.isGone = true
      updatePeers()
    } else if (peer.hasAnswered && inbound) deliverMessage(inbound, message)
  }

  presence.listen({
    onNotice(text) {
      const notice = parseNotice(text)
      if (!notice || notice.sender === ownId) return
      const { sender } = notice
      const peer = peers.get(sender) ?? createPeer(createFrameReader(secret, sender))
      const frame = peer.read(notice)
      if (!frame) return
      if (!peers.has(sender)) {
        peers.set(sender, peer)
        updatePeers()
      }
      if (frame.text === undefined) return
      for (const message of JSON.parse(frame.text) as readonly RelayMessage[])
        handleMessage(sender, peer, message)
    },
    onReturn() {
      enqueue({ kind: 'hello' })
      inbound?.onMissed()
    },
  })

  return {
    connect(receiver) {
      inbound = receiver
      enqueue({ kind: 'hello' })
    },
    notifyStored(sessionId, upTo) {
      if (isAlone) return
      outbox.addStored(sessionId, upTo)
      send()
    },
    notifyText(sessionId, events) {
      if (isAlone) return
      outbox.addText(sessionId, events)
      send()
    },
    requestText(sessionId) {
      if (isAlone) return
      outbox.addRequest(sessionId)
      send()
    },
    async leave() {
      if (isAlone) return
      enqueue({ kind: 'bye' })
      await sending
    },
  }
}

const createPeer = (read: Peer['read']): Peer => ({ read, hasAnswered: false, isGone: false })

function deliverMessage(inbound: RelayInbound, message: RelayMessage): void {
  if (message.kind === 'ask') inbound.onTextRequested(message.sessionId)
  else if (message.kind === 'stored') inbound.onStored(message.sessionId, message.upTo)
  else if (message.kind === 'said')
    inbound.onText(message.sessionId, fromRuns(message.sessionId, message.runs))
  else if (message.kind === 'lost') inbound.onMissed()
}

/** The most waiting text, in characters; the rest is dropped, and readers get it from the store. */
const MAX_TEXT = 4_000_000
/** The most sessions with waiting messages; beyond that, every reader is asked to read the store. */
const MAX_SESSIONS = 10_000
/** Approximate size of one sending. */
const BATCH_SIZE = 250_000

type WaitingMessage =
  | { readonly kind: 'stored'; upTo: number }
  | { readonly kind: 'said'; readonly events: StreamedEvent[]; weight: number }

/** The messages to send: in order for each session, with related ones merged. */
export function createOutbox() {
  let urgent: RelayMessage[] = []
  let asks = new Set<SessionId>()
  let sessions = new Map<SessionId, WaitingMessage[]>()
  let text = 0

  const getWaiting = (sessionId: SessionId): WaitingMessage[] => {
    const known = sessions.get(sessionId)
    if (known) return known
    if (sessions.size + asks.size >= MAX_SESSIONS) {
      sessions = new Map()
      asks = new Set()
      text = 0
      urgent.push({ kind: 'lost' })
    }
    const waiting: WaitingMessage[] = []
    sessions.set(sessionId, waiting)
    return waiting
  }

  return {
    isEmpty: () => urgent.length === 0 && asks.size === 0 && sessions.size === 0,

    /** Sent before all others. */
    put: (message: RelayMessage) => void urgent.push(message),
    addRequest: (sessionId: SessionId) => void asks.add(sessionId),

    addStored(sessionId: SessionId, upTo: number) {
      const waiting = getWaiting(sessionId)
      const last = waiting.at(-1)
      if (last?.kind === 'stored') last.upTo = Math.max(last.upTo, upTo)
      else waiting.push({ kind: 'stored', upTo })
    },

    addText(sessionId: SessionId, events: readonly StreamedEvent[]) {
      const weight = events.reduce((sum, event) => sum + estimateSize(event), 0)
      if (text + weight > MAX_TEXT) return
      text += weight
      const waiting = getWaiting(sessionId)
      const last = waiting.at(-1)
      if (last?.kind === 'said') {
        last.events.push(...events)
        last.weight += weight
      } else waiting.push({ kind: 'said', events: [...events], weight })
    },

    /** Takes the next messages. */
    take(): readonly RelayMessage[] {
      const taken: RelayMessage[] = urgent
      urgent = []
      for (const sessionId of asks) taken.push({ kind: 'ask', sessionId })
      asks.clear()
      let weight = 0
      for (const [sessionId, waiting] of sessions) {
        if (weight > BATCH_SIZE) break
        sessions.delete(sessionId)
        for (const one of waiting) {
          if (one.kind === 'stored') taken.push({ kind: 'stored', sessionId, upTo: one.upTo })
          else {
            taken.push({ kind: 'said', sessionId, runs: toRuns(one.events) })
            weight += one.weight
          }
        }
      }
      text -= weight
      return taken
    },
  }
}

/** The size of an event without its text. */
const EVENT_SIZE = 60

const estimateSize = (event: StreamedEvent) =>
  EVENT_SIZE + (event.type === 'agent:token' ? event.token : event.text).length

/** Messages between our processes. Unknown ones, from another version, are ignored. */
export type RelayMessage =
  /** A process has started or reconnected; the others answer. */
  | { readonly kind: 'hello' }
  /** Both sides hear each other from now on; `answer` asks the other to confirm. */
  | { readonly kind: 'here'; readonly to: string; readonly answer: boolean }
  | { readonly kind: 'bye' }
  /** A message was dropped. */
  | { readonly kind: 'lost' }
  | { readonly kind: 'ask'; readonly sessionId: SessionId }
  | { readonly kind: 'stored'; readonly sessionId: SessionId; readonly upTo: number }
  | { readonly kind: 'said'; readonly sessionId: SessionId; readonly runs: readonly TextRun[] }

/** Text events of one step, with their common fields once. */
interface TextRun {
  readonly common: Pick<StreamedEvent, 'type' | 'turnId' | 'stepId' | 'model'>
  readonly events: [number, string, string, number?][]
}

function toRuns(events: readonly StreamedEvent[]): readonly TextRun[] {
  const runs: TextRun[] = []
  for (const event of events) {
    const { type, turnId, stepId, model, sequenceNumber, timestamp, fromSequence } = event
    let run = runs.at(-1)
    if (run?.common.stepId !== stepId || run.common.type !== type) {
      run = { common: { type, turnId, stepId, model }, events: [] }
      runs.push(run)
    }
    const text = type === 'agent:token' ? event.token : event.text
    if (fromSequence === undefined) run.events.push([sequenceNumber, timestamp, text])
    else run.events.push([sequenceNumber, timestamp, text, fromSequence])
  }
  return runs
}

export const fromRuns = (sessionId: SessionId, runs: readonly TextRun[]): readonly StreamedEvent[] =>
  runs.flatMap(({ common, events }) =>
    events.map(([sequenceNumber, timestamp, text, fromSequence]): StreamedEvent => {
      const from = fromSequence === undefined ? {} : { fromSequence }
      const envelope = { sessionId, sequenceNumber, timestamp, ...from }
      const { type, ...step } = common
      return type === 'agent:token'
        ? { ...step, ...envelope, type, token: text }
        : { ...step, ...envelope, type, text }
    }),
  )
