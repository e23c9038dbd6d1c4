import type { ApiClient } from '@parley/api-client'
import {
  type Citation,
  type SessionId,
  type SessionMessage,
  type SessionView,
  type VoiceSessionResponse,
} from '@parley/contracts'
import { createBatchedState } from '../../session/session-state.ts'
import { citationsAfter } from '../citations/citations-view.tsx'
import { toTalkProblem } from '../problem.ts'
import { type CallEvent, type CallLine, type CallState, NO_CALL, applyCallEvent } from './call-state.ts'
import {
  type Connection,
  type Line,
  type LineEvents,
  type MicrophoneProblem,
  type OpenLine,
  toMicrophoneProblem,
} from './open-line.ts'
import { hasCode } from '../../ui/message-of.ts'

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

export type Call = ReturnType<typeof createCall>

const openedState = ({ sessionId, createdAt }: Pick<SessionView, 'sessionId' | 'createdAt'>): CallState => ({
  ...NO_CALL,
  sessionId,
  phase: { kind: 'dropped', next: 'asks' },
  since: Date.parse(createdAt),
})

/** A voice call: starts, connects, reconnects and ends one session. */
export function createCall(host: CallHost) {
  const initial = host.session ? openedState(host.session) : NO_CALL
  const shown = createBatchedState<CallState>(initial, 0)
  const dispatch = (event: CallEvent) => shown.set(applyCallEvent(shown.get(), event))
  const citations = createCitationLoader(host.sessions, (line, loaded) =>
    dispatch({ type: 'cited', line, citations: loaded }),
  )
  let line: Line | undefined
  /** Typed messages, which a provider may echo as heard. */
  const typed = new Set<string>()
  /** Rises with every connection attempt; results of earlier attempts are ignored. */
  let attempt = 0

  const lineEvents = (mine: number): LineEvents => {
    const ifCurrent =
      <Args extends readonly unknown[]>(handle: (...args: Args) => void) =>
      (...args: Args) => {
        if (mine === attempt) handle(...args)
      }
    return {
      onSaid: ifCurrent((who, text) => {
        if (text.trim() === '' || (who === 'you' && typed.delete(text.trim()))) return
        dispatch({ type: 'said', who, text })
        const { sessionId, lines } = shown.get()
        if (who === 'agent' && sessionId) void citations.load(sessionId, lines.length)
      }),
      onCorrected: ifCurrent((original, heard) => dispatch({ type: 'corrected', original, heard })),
      onInterrupted: ifCurrent(() => dispatch({ type: 'interrupted' })),
      onSpeaker: ifCurrent((speaker) => dispatch({ type: 'speaker-changed', speaker })),
      onClosed: ifCurrent((reason) => {
        line = undefined
        if (reason === 'error') onLost()
        else dispatch({ type: 'over', by: reason === 'user' ? 'you' : 'agent', at: host.now() })
      }),
    }
  }

  const connect = async (connection: Connection, mine: number) => {
    try {
      const opened = await host.openLine(connection, lineEvents(mine))
      if (mine !== attempt) {
        await opened.close()
        return
      }
      line = opened
      dispatch({ type: 'connected', at: host.now() })
      if (shown.get().isMuted) line.mute(true)
    } catch (failure) {
      if (mine !== attempt) return
      const problem = toMicrophoneProblem(failure)
      if (problem) dispatch({ type: 'failed', problem })
      else onLost()
    }
  }

  const onLost = () => {
    dispatch({ type: 'dropped' })
    const { phase } = shown.get()
    if (phase.kind === 'dropped' && phase.next === 'reconnects') void connectAgain('connect-requested')
  }

  const connectAgain = async (
    event: 'connect-requested' | 'reconnect-requested',
    display: 'connecting' | 'keep-view' = 'connecting',
  ) => {
    const { sessionId } = shown.get()
    if (!sessionId) return
    const mine = (attempt += 1)
    if (display === 'connecting') dispatch({ type: event })
    try {
      const connection = await host.sessions.reconnect(sessionId)
      if (mine !== attempt) return
      if (display === 'keep-view') dispatch({ type: event })
      await connect(connection, mine)
    } catch (failure) {
      if (mine === attempt) dispatch({ type: 'failed', problem: toTalkProblem(failure) })
    }
  }

  const begin = async () => {
    const mine = (attempt += 1)
    dispatch({ type: 'microphone-requested' })
    const problem = await host.askMicrophone()
    if (mine !== attempt) return undefined
    if (problem) return dispatch({ type: 'failed', problem })
    const { sessionId } = shown.get()
    if (sessionId) {
      citations.skipEarlier(sessionId)
      return connectAgain('reconnect-requested')
    }
    dispatch({ type: 'start-requested' })
    return start(mine)
  }

  const start = async (mine: number) => {
    try {
      const started = await startTwice(host.start, () => mine === attempt)
      if (mine !== attempt) {
        await host.sessions.end(started.sessionId)
        return
      }
      dispatch({ type: 'started', sessionId: started.sessionId })
      host.onSession(started.sessionId)
      await connect(started, mine)
    } catch (failure) {
      if (mine === attempt) dispatch({ type: 'failed', problem: toTalkProblem(failure) })
    }
  }

  return {
    state: shown.get,
    subscribe: shown.subscribe,
    /** Starts the call, or reconnects to the existing session. */
    begin: () => void begin(),
    /** Like `begin`, but keeps showing the failure until the attempt succeeds. */
    retry: () =>
      shown.get().sessionId ? connectAgain('reconnect-requested', 'keep-view') : start((attempt += 1)),
    say: (text: string) => {
      if (!line) return
      typed.add(text.trim())
      line.say(text)
      dispatch({ type: 'said', who: 'you', text })
    },
    mute: (isMuted: boolean) => {
      line?.mute(isMuted)
      dispatch({ type: 'muted', isMuted })
    },
    hangUp: () => {
      if (line) void line.close()
      else {
        attempt += 1
        dispatch({ type: 'over', by: 'you', at: host.now() })
      }
    },
    /** Cuts the last answer as in the stored transcript, which arrives after the call. */
    applyTranscript: (transcript: readonly SessionMessage[]) => {
      const cut = cutAtEnd(shown.get().lines, transcript)
      if (cut) dispatch(cut)
    },
    /** Leaves the page: no further updates. */
    leave: () => {
      attempt += 1
      void line?.close()
      line = undefined
    },
    inputLevel: () => line?.inputLevel() ?? 0,
    outputLevel: () => line?.outputLevel() ?? 0,
  }
}

/** The first call builds its agent, which can exceed the timeout; the second attempt finds it ready. */
async function startTwice(start: CallHost['start'], isCurrent: () => boolean): Promise<VoiceSessionResponse> {
  try {
    return await start()
  } catch (failure) {
    if (hasCode(failure, 'run_timeout') && isCurrent()) return start()
    throw failure
  }
}

type StoredMessage = Pick<SessionMessage, 'role' | 'content'>

/** The heard part of the last answer after a hang-up, if the transcript ends earlier. */
export function cutAtEnd(
  lines: readonly CallLine[],
  transcript: readonly StoredMessage[],
): Extract<CallEvent, { type: 'corrected' }> | undefined {
  const last = lines.at(-1)
  if (last?.who !== 'agent' || last.isCut) return undefined
  const questionAt = transcript.findLastIndex(({ role }) => role === 'user')
  const question = lines.findLast(({ who }) => who === 'you')?.text.trim()
  // A transcript that ends with another question belongs to another call or is incomplete.
  if (question !== textOf(transcript[questionAt])) return undefined
  const answers = transcript.slice(questionAt + 1).map(textOf)
  const spoken = last.text.trim()
  if (answers.includes(spoken)) return undefined
  const heard = answers.findLast((text) => text !== undefined && spoken.startsWith(text)) ?? ''
  return { type: 'corrected', original: last.text, heard }
}

/** Undefined without text. */
function textOf(message: StoredMessage | undefined): string | undefined {
  const texts = message?.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])) ?? []
  return texts.join('').trim() || undefined
}

/** Citations are stored asynchronously and may arrive a moment later. */
const POLL_MS = 1_500

/** Marks everything before this page joined the call. */
const EARLIER = 0

/** Fetches the citations of each answer, one request at a time, so none counts twice. */
export function createCitationLoader(
  sessions: Pick<ApiClient['sessions'], 'citations'>,
  onLoaded: (line: number, citations: readonly Citation[]) => void,
) {
  let known = 0
  let previous: Promise<unknown> = Promise.resolve()
  /** Answers whose request failed: the next citations may belong to any of them, so they are dropped. */
  const missed = new Set<number>()

  const loadNew = async (sessionId: SessionId, line: number): Promise<boolean> => {
    missed.add(line)
    const loaded = await citationsAfter(sessions, sessionId, known)
    known = loaded.at(-1)?.number ?? known
    const isOfThisLine = missed.size === 1 && line !== EARLIER
    missed.clear()
    if (loaded.length > 0 && isOfThisLine) onLoaded(line, loaded)
    return loaded.length > 0
  }
  const loadInOrder = (sessionId: SessionId, line: number): Promise<boolean> => {
    const request = previous.then(() => loadNew(sessionId, line)).catch(() => false)
    previous = request
    return request
  }

  return {
    async load(sessionId: SessionId, line: number): Promise<void> {
      if (await loadInOrder(sessionId, line)) return
      setTimeout(() => void loadInOrder(sessionId, line), POLL_MS)
    },
    /** Skips citations from before this page joined the call. */
    skipEarlier: (sessionId: SessionId) => void loadInOrder(sessionId, EARLIER),
  }
}
