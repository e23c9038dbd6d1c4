import { setTimeout as delay } from 'node:timers/promises'
import type { WebSocket } from 'ws'
import { PlatformError } from '@parley/contracts'
import type { ModelPort } from '@parley/engine'
import type { AgentDocument } from '../agents/agent-document.ts'
import { type ConversationOpening, ENDINGS, type Ending, createCall } from './call.ts'
import type { Initiation, ParsedFrame } from './client-frame.ts'
import { type Connection, openConnection } from './connection.ts'
import { type Conversation, createConversation } from './conversation.ts'
import { prepareConversation } from './prepare-conversation.ts'
import type { ServerEvent } from './server-event.ts'

/** Wait for the client's opening data; without it the conversation starts with defaults. */
const INITIATION_MS = 5_000
/** Node clients lose frames that arrive together with the metadata. */
const AFTER_METADATA_MS = 25
const MOST_BAD_FRAMES = 20
/** A model that ignores the abort must not block storing the conversation. */
const STOPPING_MS = 5_000

/**
 * Runs one conversation from the opened socket to the stored record. Call it as soon as the socket opens.
 * Resolves when everything is released.
 */
export async function serveConversation(socket: WebSocket, opening: ConversationOpening): Promise<void> {
  const { host, signal, hangUp } = opening
  const call = createCall(opening)
  const timers: NodeJS.Timeout[] = []
  let conversation: Conversation | undefined
  let running: Promise<void> | undefined
  let badFrames = 0

  const end = (ending: Ending) => {
    if (!call.end(ending)) return
    conversation?.stop()
    closeConnection(ending, connection)
  }
  const pings = createPings({
    now: host.now,
    nextEventId: call.nextEventId,
    send: (event) => connection.send(event),
    probe: () => connection.probe(),
    onLost: () => end({ kind: 'client-lost' }),
  })
  const connection: Connection = openConnection(socket, {
    onStuck: () => end({ kind: 'stuck' }),
    onSignOfLife: pings.signOfLife,
  })
  const after = (milliseconds: number, ending: Ending) =>
    timers.push(setTimeout(() => end(ending), Math.min(milliseconds, LONGEST_TIMER)))
  const failed = (thrown: unknown) => {
    host.onError(thrown)
    end({ kind: 'failure' })
  }
  const onStop = () => end({ kind: 'server-stops' })
  const onHangUp = () => end({ kind: 'ended-by-monitor' })

  const isAllowed = createFrameAllowance(host.now)
  const take = (parsed: ParsedFrame) => {
    pings.signOfLife()
    if (!isAllowed()) return end({ kind: 'abuse', reason: 'Too many messages each second' })
    if (parsed.kind === 'frame') {
      if (parsed.frame.type === 'pong') pings.answered(parsed.frame.event_id)
      conversation?.take(parsed.frame)
      return
    }
    badFrames += 1
    if (badFrames > MOST_BAD_FRAMES) return end({ kind: 'abuse', reason: 'Too many invalid messages' })
    connection.send({
      type: 'error',
      error_event: { code: 1008, message: parsed.reason, error_type: 'invalid_message' },
    })
  }

  const begin = async () => {
    const prepared = await prepareConversation(opening.agent, call.initiation(), call.variables(), host)
    if (prepared.kind === 'refused') {
      return end({ kind: 'refused', reason: prepared.reason })
    }
    call.begin(prepared)
    const { conversation: settings, tts, asr } = prepared.agent.conversation_config
    const model = await host.modelFor(prepared.agent)
    await host.save(call.record())
    connection.subscribe(settings.client_events)
    connection.send({
      type: 'conversation_initiation_metadata',
      conversation_initiation_metadata_event: {
        conversation_id: opening.conversationId,
        agent_output_audio_format: tts.agent_output_audio_format,
        user_input_audio_format: asr.user_input_audio_format,
      },
    })
    await delay(AFTER_METADATA_MS)
    if (call.hasEnded()) return
    if (isReplaced(prepared.agent, model)) {
      host.onError(new PlatformError('config_invalid', { agentId: opening.agent.agentId, message: REPLACED }))
      connection.send({
        type: 'error',
        error_event: { code: 1011, message: REPLACED, error_type: 'custom_llm_error' },
      })
    }
    if (settings.max_duration_seconds > 0)
      after(settings.max_duration_seconds * 1_000, { kind: 'max-duration' })
    pings.start()
    conversation = createConversation({ ready: prepared, model, host, call, send: connection.send, end })
    running = conversation.run().catch(failed)
  }

  signal.addEventListener('abort', onStop)
  if (signal.aborted) onStop()
  hangUp.addEventListener('abort', onHangUp)
  try {
    const fault = host.faults.take('conversation')
    if (fault?.dropSocketAfterMs !== undefined) after(fault.dropSocketAfterMs, { kind: 'fault-rule' })
    if (fault?.latencyMs !== undefined)
      await delay(fault.latencyMs, undefined, { signal }).catch(() => undefined)

    let incoming = connection.frames.next()
    const first = await Promise.race([incoming, timeout(INITIATION_MS, timers)])
    if (first && !first.done && isInitiation(first.value)) {
      call.initiate(first.value.frame)
      incoming = connection.frames.next()
    }
    if (first && !first.done && first.value.kind === 'invalid')
      end({ kind: 'refused', reason: `Invalid message received: ${first.value.reason}` })
    if (!first?.done && !call.hasEnded()) await begin()
    for (let next = await incoming; !next.done; next = await connection.frames.next())
      if (!call.hasEnded()) take(next.value)
    end({ kind: 'client-closed', reason: `Client disconnected: ${connection.closedWith()}` })
  } catch (thrown) {
    failed(thrown)
  } finally {
    signal.removeEventListener('abort', onStop)
    hangUp.removeEventListener('abort', onHangUp)
    timers.forEach(clearTimeout)
    pings.close()
    conversation?.stop()
    await Promise.race([running, delay(STOPPING_MS, undefined, { ref: false })])
    await closed(connection)
    await call.finish()
  }
}

const REPLACED =
  'The custom LLM of this agent cannot be used, so the offline model answers. Check its url and its API key’s secret.'

const isReplaced = ({ conversation_config }: AgentDocument, { provider }: ModelPort): boolean =>
  conversation_config.agent.prompt.llm === 'custom-llm' && provider === 'offline'

/** Node's limit for timers. */
const LONGEST_TIMER = 2 ** 31 - 1

function closeConnection({ kind, reason: given }: Ending, connection: Connection): void {
  const { code, reason, errorType } = ENDINGS[kind]
  const message = given ?? reason
  if (errorType)
    connection.send({
      type: 'error',
      error_event: { code: code === 1000 ? code : 1008, message, error_type: errorType },
    })
  if (code === undefined) connection.cut()
  else connection.close(code, message)
}

type InitiationFrame = { readonly kind: 'frame'; readonly frame: Initiation }

const isInitiation = (parsed: ParsedFrame): parsed is InitiationFrame =>
  parsed.kind === 'frame' && parsed.frame.type === 'conversation_initiation_client_data'

const timeout = (milliseconds: number, timers: NodeJS.Timeout[]): Promise<undefined> =>
  new Promise((resolve) => timers.push(setTimeout(() => resolve(undefined), milliseconds)))

async function closed({ frames }: Connection): Promise<void> {
  for (let next = await frames.next(); !next.done; next = await frames.next());
}

/** More than any client sends: one millisecond of sound per frame would be half of it. */
const EACH_SECOND = 2_000
/** Burst limit, for clients that send recordings. */
const AT_ONCE = 20_000

/** Limits the rate of frames: returns false for each frame above it. */
export function createFrameAllowance(now: () => number): () => boolean {
  let left = AT_ONCE
  let filledAt = now()
  return () => {
    const at = now()
    left = Math.min(AT_ONCE, left + ((at - filledAt) / 1_000) * EACH_SECOND) - 1
    filledAt = at
    return left >= 0
  }
}

/** Pings the client periodically and measures the delay. */
interface Pings {
  start(): void
  /** The client answered a ping event. */
  answered(eventId: number): void
  /** Any frame or WebSocket pong arrived. */
  readonly signOfLife: () => void
  close(): void
}

interface PingsHost {
  readonly now: () => number
  readonly nextEventId: () => number
  readonly send: (event: ServerEvent) => void
  readonly probe: () => void
  readonly onLost: () => void
}

const EVERY_MS = 5_000
/** Unanswered pings after which the client counts as lost. */
const MOST_UNANSWERED = 6

export function createPings({ now, nextEventId, send, probe, onLost }: PingsHost): Pings {
  let sent: { readonly eventId: number; readonly at: number } | undefined
  let delayMs: number | null = null
  let unanswered = 0
  let timer: NodeJS.Timeout | undefined

  const ping = () => {
    if (unanswered >= MOST_UNANSWERED) return onLost()
    unanswered += 1
    sent = { eventId: nextEventId(), at: now() }
    send({ type: 'ping', ping_event: { event_id: sent.eventId, ping_ms: delayMs } })
    probe()
  }

  return {
    start() {
      ping()
      timer = setInterval(ping, EVERY_MS)
    },
    answered(eventId) {
      if (sent?.eventId === eventId) delayMs = Math.max(0, now() - sent.at)
    },
    signOfLife() {
      unanswered = 0
    },
    close: () => clearInterval(timer),
  }
}
