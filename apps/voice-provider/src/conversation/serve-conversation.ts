import { setTimeout as pause } from 'node:timers/promises'
import type { WebSocket } from 'ws'
import { PlatformError } from '@parley/contracts'
import type { ModelPort } from '@parley/engine'
import type { AgentDocument } from '../agents/agent-document.ts'
import { pauseUnlessAborted, waitAtMost } from '../wait.ts'
import {
  type AdmittedCall,
  type CallEnding,
  type ProviderCall,
  ENDINGS,
  createProviderCall,
} from './call-state.ts'
import { type ClientConnection, openClientConnection } from './client-connection.ts'
import type { Initiation, ParsedFrame } from './client-frame.ts'
import { type ConversationLoop, createConversationLoop } from './conversation-loop.ts'
import { prepareConversation } from './prepare-conversation.ts'
import type { ServerEvent } from './server-event.ts'

/** Wait for the client's opening data; without it the conversation starts with defaults. */
const INITIATION_MS = 5_000
/** Node clients lose frames that arrive together with the metadata. */
const AFTER_METADATA_MS = 25
const MAX_BAD_FRAMES = 20
/** A model that ignores the abort must not block storing the conversation. */
const STOPPING_MS = 5_000

/**
 * Runs one conversation from the opened socket to the stored record. Call it as soon as the socket opens.
 * Resolves when everything is released.
 */
export async function serveConversation(socket: WebSocket, admitted: AdmittedCall): Promise<void> {
  const served = openServedCall(socket, admitted)
  const { signal, hangUp } = admitted
  const onStop = () => endCall(served, { kind: 'server-stops' })
  const onHangUp = () => endCall(served, { kind: 'ended-by-monitor' })
  signal.addEventListener('abort', onStop)
  if (signal.aborted) onStop()
  hangUp.addEventListener('abort', onHangUp)
  try {
    await applyFaultRule(served)
    await readFrames(served)
  } catch (thrown) {
    failCall(served, thrown)
  } finally {
    signal.removeEventListener('abort', onStop)
    hangUp.removeEventListener('abort', onHangUp)
    await releaseCall(served)
  }
}

interface ServedCall {
  readonly admitted: AdmittedCall
  readonly call: ProviderCall
  readonly connection: ClientConnection
  readonly pings: Pings
  /** Counts a frame. Returns false above the limit. */
  readonly isFrameAllowed: () => boolean
  readonly timers: NodeJS.Timeout[]
  badFrames: number
  /** Undefined until the conversation starts. */
  loop?: ConversationLoop
  running?: Promise<void>
}

function openServedCall(socket: WebSocket, admitted: AdmittedCall): ServedCall {
  const { now } = admitted.host
  const call = createProviderCall(admitted)
  const pings = createPings({
    now,
    nextEventId: call.nextEventId,
    send: (event) => connection.send(event),
    probe: () => connection.probe(),
    onLost: () => endCall(served, { kind: 'client-lost' }),
  })
  const connection: ClientConnection = openClientConnection(socket, {
    onStuck: () => endCall(served, { kind: 'stuck' }),
    onSignOfLife: pings.recordActivity,
  })
  const isFrameAllowed = createFrameAllowance(now)
  const served: ServedCall = { admitted, call, connection, pings, isFrameAllowed, timers: [], badFrames: 0 }
  return served
}

async function applyFaultRule(served: ServedCall): Promise<void> {
  const { host, signal } = served.admitted
  const fault = host.faults.take('conversation')
  if (fault?.dropSocketAfterMs !== undefined)
    endCallAfter(served, fault.dropSocketAfterMs, { kind: 'fault-rule' })
  if (fault?.latencyMs !== undefined) await pauseUnlessAborted(fault.latencyMs, signal)
}

/** Reads frames until the socket closes. The first one may contain the opening data. */
async function readFrames(served: ServedCall): Promise<void> {
  const { call, connection } = served
  let incoming = connection.frames.next()
  const first = await waitAtMost(INITIATION_MS, incoming)
  if (first && !first.done && isInitiation(first.value)) {
    call.initiate(first.value.frame)
    incoming = connection.frames.next()
  }
  if (first && !first.done && first.value.kind === 'invalid')
    endCall(served, { kind: 'refused', reason: `Invalid message received: ${first.value.reason}` })
  if (!first?.done && !call.hasEnded()) await beginConversation(served)
  for (let next = await incoming; !next.done; next = await connection.frames.next())
    if (!call.hasEnded()) takeFrame(served, next.value)
  endCall(served, { kind: 'client-closed', reason: `Client disconnected: ${connection.closedWith()}` })
}

async function beginConversation(served: ServedCall): Promise<void> {
  const { admitted, call, connection, pings } = served
  const { host } = admitted
  const prepared = await prepareConversation(admitted.agent, call.initiation(), call.variables(), host)
  if (prepared.kind === 'refused') return endCall(served, { kind: 'refused', reason: prepared.reason })
  call.begin(prepared)
  const { conversation: settings, tts, asr } = prepared.agent.conversation_config
  const model = await host.selectModel(prepared.agent)
  await host.save(call.toDocument())
  connection.subscribe(settings.client_events)
  connection.send({
    type: 'conversation_initiation_metadata',
    conversation_initiation_metadata_event: {
      conversation_id: admitted.conversationId,
      agent_output_audio_format: tts.agent_output_audio_format,
      user_input_audio_format: asr.user_input_audio_format,
    },
  })
  await pause(AFTER_METADATA_MS)
  if (call.hasEnded()) return
  if (isReplaced(prepared.agent, model)) {
    const { agentId } = admitted.agent
    host.onError(new PlatformError('config_invalid', { agentId, message: REPLACED }))
    connection.send({
      type: 'error',
      error_event: { code: 1011, message: REPLACED, error_type: 'custom_llm_error' },
    })
  }
  if (settings.max_duration_seconds > 0)
    endCallAfter(served, settings.max_duration_seconds * 1_000, { kind: 'max-duration' })
  pings.start()
  const end = (ending: CallEnding) => endCall(served, ending)
  const loop = createConversationLoop({ prepared, model, host, call, send: connection.send, end })
  served.loop = loop
  served.running = loop.run().catch((thrown: unknown) => failCall(served, thrown))
}

function takeFrame(served: ServedCall, parsed: ParsedFrame): void {
  const { connection, pings, isFrameAllowed, loop } = served
  pings.recordActivity()
  if (!isFrameAllowed()) return endCall(served, { kind: 'abuse', reason: 'Too many messages each second' })
  if (parsed.kind === 'frame') {
    if (parsed.frame.type === 'pong') pings.answered(parsed.frame.event_id)
    loop?.take(parsed.frame)
    return
  }
  served.badFrames += 1
  if (served.badFrames > MAX_BAD_FRAMES)
    return endCall(served, { kind: 'abuse', reason: 'Too many invalid messages' })
  connection.send({
    type: 'error',
    error_event: { code: 1008, message: parsed.reason, error_type: 'invalid_message' },
  })
}

function endCall({ call, connection, loop }: ServedCall, ending: CallEnding): void {
  if (!call.end(ending)) return
  loop?.stop()
  closeConnection(ending, connection)
}

function endCallAfter(served: ServedCall, milliseconds: number, ending: CallEnding): void {
  const timer = setTimeout(() => endCall(served, ending), Math.min(milliseconds, MAX_TIMER_MS))
  served.timers.push(timer)
}

function failCall(served: ServedCall, thrown: unknown): void {
  served.admitted.host.onError(thrown)
  endCall(served, { kind: 'failure' })
}

async function releaseCall({ call, connection, pings, timers, loop, running }: ServedCall): Promise<void> {
  timers.forEach(clearTimeout)
  pings.close()
  loop?.stop()
  if (running) await waitAtMost(STOPPING_MS, running)
  await drainFrames(connection)
  await call.finish()
}

const REPLACED =
  'The custom LLM of this agent cannot be used, so the offline model answers. Check its url and its API key’s secret.'

const isReplaced = ({ conversation_config }: AgentDocument, { provider }: ModelPort): boolean =>
  conversation_config.agent.prompt.llm === 'custom-llm' && provider === 'offline'

/** Node's limit for timers. */
const MAX_TIMER_MS = 2 ** 31 - 1

function closeConnection({ kind, reason: ownReason }: CallEnding, connection: ClientConnection): void {
  const { code, reason, errorType } = ENDINGS[kind]
  const message = ownReason ?? reason
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

async function drainFrames({ frames }: ClientConnection): Promise<void> {
  for (let next = await frames.next(); !next.done; next = await frames.next());
}

/** More than any client sends: one millisecond of sound per frame would be half of it. */
const FRAMES_PER_SECOND = 2_000
/** Burst limit, for clients that send recordings. */
const MAX_BURST = 20_000

/** Limits the rate of frames: returns false for each frame above it. */
export function createFrameAllowance(now: () => number): () => boolean {
  let left = MAX_BURST
  let filledAt = now()
  return () => {
    const at = now()
    left = Math.min(MAX_BURST, left + ((at - filledAt) / 1_000) * FRAMES_PER_SECOND) - 1
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
  readonly recordActivity: () => void
  close(): void
}

interface PingsHost {
  readonly now: () => number
  readonly nextEventId: () => number
  readonly send: (event: ServerEvent) => void
  readonly probe: () => void
  readonly onLost: () => void
}

const PING_INTERVAL_MS = 5_000
/** Unanswered pings after which the client counts as lost. */
const MAX_UNANSWERED = 6

export function createPings({ now, nextEventId, send, probe, onLost }: PingsHost): Pings {
  let sent: { readonly eventId: number; readonly at: number } | undefined
  let delayMs: number | null = null
  let unanswered = 0
  let timer: NodeJS.Timeout | undefined

  const ping = () => {
    if (unanswered >= MAX_UNANSWERED) return onLost()
    unanswered += 1
    sent = { eventId: nextEventId(), at: now() }
    send({ type: 'ping', ping_event: { event_id: sent.eventId, ping_ms: delayMs } })
    probe()
  }

  return {
    start() {
      ping()
      timer = setInterval(ping, PING_INTERVAL_MS)
    },
    answered(eventId) {
      if (sent?.eventId === eventId) delayMs = Math.max(0, now() - sent.at)
    },
    recordActivity() {
      unanswered = 0
    },
    close: () => clearInterval(timer),
  }
}
