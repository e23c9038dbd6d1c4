import type { ApiClient } from '@parley/api-client'
import type { SessionId, SessionMessage, SessionView, VoiceSessionResponse } from '@parley/contracts'
import { type BatchedState, createBatchedState } from '../../session/session-state.ts'
import { createCitationLoader } from '../citations/load-citations.ts'
import { toTalkProblem } from '../problem.ts'
import { type CallEvent, type CallLine, type CallState, NO_CALL, applyCallEvent } from './call-state.ts'
import {
  type LineCredentials,
  type VoiceLine,
  type VoiceLineEvents,
  type MicrophoneProblem,
  type OpenLine,
  toMicrophoneProblem,
} from './open-line.ts'
import { hasErrorCode } from '../../ui/error-message.ts'

export interface CallHost {
  readonly sessions: Pick<ApiClient['sessions'], 'citations' | 'reconnect' | 'end'>
  readonly start: () => Promise<VoiceSessionResponse>
  /** An existing session to connect to. */
  readonly session?: Pick<SessionView, 'sessionId' | 'createdAt'> | undefined
  readonly onSession: (sessionId: SessionId) => void
  readonly askMicrophone: () => Promise<MicrophoneProblem | undefined>
  readonly openLine: OpenLine
  readonly now: () => number
}

export type VoiceCall = ReturnType<typeof createCall>

/** A voice call: starts, connects, reconnects and ends one session. */
export function createCall(host: CallHost) {
  const shown = createBatchedState<CallState>(host.session ? createResumedState(host.session) : NO_CALL, 0)
  const call: CallRecord = {
    host,
    shown,
    citations: createCitationLoader(host.sessions, (line, loaded) =>
      dispatch(call, { type: 'cited', line, citations: loaded }),
    ),
    typed: new Set(),
    line: undefined,
    attempt: 0,
  }
  return {
    state: shown.get,
    subscribe: shown.subscribe,
    /** Starts the call, or reconnects to the existing session. */
    begin: () => void beginCall(call),
    /** Like `begin`, but keeps showing the failure until the attempt succeeds. */
    retry: () =>
      shown.get().sessionId
        ? reconnect(call, 'reconnect-requested', 'keep-view')
        : startSession(call, (call.attempt += 1)),
    say: (text: string) => {
      if (!call.line) return
      call.typed.add(text.trim())
      call.line.say(text)
      dispatch(call, { type: 'message', who: 'you', text })
    },
    mute: (isMuted: boolean) => {
      call.line?.mute(isMuted)
      dispatch(call, { type: 'muted', isMuted })
    },
    hangUp: () => {
      if (call.line) return void call.line.close()
      call.attempt += 1
      return dispatch(call, { type: 'over', by: 'you', at: host.now() })
    },
    /** Cuts the last answer as in the stored transcript, which arrives after the call. */
    applyTranscript: (transcript: readonly SessionMessage[]) => {
      const cut = findFinalCut(shown.get().lines, transcript)
      if (cut) dispatch(call, cut)
    },
    /** Leaves the page: no further updates. */
    leave: () => {
      call.attempt += 1
      void call.line?.close()
      call.line = undefined
    },
    inputLevel: () => call.line?.inputLevel() ?? 0,
    outputLevel: () => call.line?.outputLevel() ?? 0,
  }
}

const createResumedState = ({
  sessionId,
  createdAt,
}: Pick<SessionView, 'sessionId' | 'createdAt'>): CallState => ({
  ...NO_CALL,
  sessionId,
  phase: { kind: 'dropped', next: 'asks' },
  since: Date.parse(createdAt),
})

interface CallRecord {
  readonly host: CallHost
  readonly shown: BatchedState<CallState>
  readonly citations: ReturnType<typeof createCitationLoader>
  /** Typed messages, which a provider may echo as heard. */
  readonly typed: Set<string>
  line: VoiceLine | undefined
  /** Rises with every connection attempt; results of earlier attempts are ignored. */
  attempt: number
}

const dispatch = ({ shown }: CallRecord, event: CallEvent): void =>
  shown.set(applyCallEvent(shown.get(), event))

async function beginCall(call: CallRecord): Promise<void> {
  const thisAttempt = (call.attempt += 1)
  dispatch(call, { type: 'microphone-requested' })
  const problem = await call.host.askMicrophone()
  if (thisAttempt !== call.attempt) return undefined
  if (problem) return dispatch(call, { type: 'failed', problem })
  const { sessionId } = call.shown.get()
  if (sessionId) {
    call.citations.skipEarlier(sessionId)
    return reconnect(call, 'reconnect-requested')
  }
  dispatch(call, { type: 'start-requested' })
  return startSession(call, thisAttempt)
}

async function startSession(call: CallRecord, thisAttempt: number): Promise<void> {
  const { host } = call
  try {
    const started = await startWithRetry(host.start, () => thisAttempt === call.attempt)
    if (thisAttempt !== call.attempt) {
      await host.sessions.end(started.sessionId)
      return
    }
    dispatch(call, { type: 'started', sessionId: started.sessionId })
    host.onSession(started.sessionId)
    await openCallLine(call, started, thisAttempt)
  } catch (failure) {
    if (thisAttempt === call.attempt) dispatch(call, { type: 'failed', problem: toTalkProblem(failure) })
  }
}

async function reconnect(
  call: CallRecord,
  event: 'connect-requested' | 'reconnect-requested',
  display: 'connecting' | 'keep-view' = 'connecting',
): Promise<void> {
  const { sessionId } = call.shown.get()
  if (!sessionId) return
  const thisAttempt = (call.attempt += 1)
  if (display === 'connecting') dispatch(call, { type: event })
  try {
    const credentials = await call.host.sessions.reconnect(sessionId)
    if (thisAttempt !== call.attempt) return
    if (display === 'keep-view') dispatch(call, { type: event })
    await openCallLine(call, credentials, thisAttempt)
  } catch (failure) {
    if (thisAttempt === call.attempt) dispatch(call, { type: 'failed', problem: toTalkProblem(failure) })
  }
}

async function openCallLine(
  call: CallRecord,
  credentials: LineCredentials,
  thisAttempt: number,
): Promise<void> {
  const { host, shown } = call
  try {
    const line = await host.openLine(credentials, createLineEvents(call, thisAttempt))
    if (thisAttempt !== call.attempt) {
      await line.close()
      return
    }
    call.line = line
    dispatch(call, { type: 'connected', at: host.now() })
    if (shown.get().isMuted) line.mute(true)
  } catch (failure) {
    if (thisAttempt !== call.attempt) return
    const problem = toMicrophoneProblem(failure)
    if (problem) dispatch(call, { type: 'failed', problem })
    else handleLostLine(call)
  }
}

function handleLostLine(call: CallRecord): void {
  dispatch(call, { type: 'dropped' })
  const { phase } = call.shown.get()
  if (phase.kind === 'dropped' && phase.next === 'reconnects') void reconnect(call, 'connect-requested')
}

/** Handles the events of a line, until another attempt begins. */
function createLineEvents(call: CallRecord, thisAttempt: number): VoiceLineEvents {
  const ifCurrent =
    <Args extends readonly unknown[]>(handle: (...args: Args) => void) =>
    (...args: Args) => {
      if (thisAttempt === call.attempt) handle(...args)
    }
  return {
    onMessage: ifCurrent((who, text) => {
      if (text.trim() === '' || (who === 'you' && call.typed.delete(text.trim()))) return
      dispatch(call, { type: 'message', who, text })
      const { sessionId, lines } = call.shown.get()
      if (who === 'agent' && sessionId) void call.citations.load(sessionId, lines.length)
    }),
    onCorrected: ifCurrent((original, heard) => dispatch(call, { type: 'corrected', original, heard })),
    onInterrupted: ifCurrent(() => dispatch(call, { type: 'interrupted' })),
    onSpeaker: ifCurrent((speaker) => dispatch(call, { type: 'speaker-changed', speaker })),
    onClosed: ifCurrent((reason) => {
      call.line = undefined
      if (reason === 'error') handleLostLine(call)
      else dispatch(call, { type: 'over', by: reason === 'user' ? 'you' : 'agent', at: call.host.now() })
    }),
  }
}

/** The first call builds its agent, which can exceed the timeout; the second attempt finds it ready. */
async function startWithRetry(
  start: CallHost['start'],
  isCurrent: () => boolean,
): Promise<VoiceSessionResponse> {
  try {
    return await start()
  } catch (failure) {
    if (hasErrorCode(failure, 'run_timeout') && isCurrent()) return start()
    throw failure
  }
}

type StoredMessage = Pick<SessionMessage, 'role' | 'content'>

/** The heard part of the last answer after a hang-up, if the transcript ends earlier. */
export function findFinalCut(
  lines: readonly CallLine[],
  transcript: readonly StoredMessage[],
): Extract<CallEvent, { type: 'corrected' }> | undefined {
  const last = lines.at(-1)
  if (last?.who !== 'agent' || last.isCut) return undefined
  const questionAt = transcript.findLastIndex(({ role }) => role === 'user')
  const question = lines.findLast(({ who }) => who === 'you')?.text.trim()
  // A transcript that ends with another question belongs to another call or is incomplete.
  if (question !== readText(transcript[questionAt])) return undefined
  const answers = transcript.slice(questionAt + 1).map(readText)
  const spoken = last.text.trim()
  if (answers.includes(spoken)) return undefined
  const heard = answers.findLast((text) => text !== undefined && spoken.startsWith(text)) ?? ''
  return { type: 'corrected', original: last.text, heard }
}

/** Undefined without text. */
function readText(message: StoredMessage | undefined): string | undefined {
  const texts = message?.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])) ?? []
  return texts.join('').trim() || undefined
}
