import type { ApiClient } from '@parley/api-client'
import {
  type Citation,
  PlatformError,
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
  type MicrophoneTrouble,
  type OpenLine,
  toMicrophoneProblem,
} from './open-line.ts'

export interface CallHost {
  readonly sessions: Pick<ApiClient['sessions'], 'citations' | 'reconnect' | 'end'>
  readonly start: () => Promise<VoiceSessionResponse>
  /** An existing session to connect to. */
  readonly session?: Pick<SessionView, 'sessionId' | 'createdAt'> | undefined
  readonly onSession: (sessionId: SessionId) => void
  readonly askMicrophone: () => Promise<MicrophoneTrouble | undefined>
  readonly openLine: OpenLine
  readonly now: () => number
}

export type Call = ReturnType<typeof createCall>

const leftOpen = ({ sessionId, createdAt }: Pick<SessionView, 'sessionId' | 'createdAt'>): CallState => ({
  ...NO_CALL,
  sessionId,
  phase: { kind: 'dropped', next: 'asks' },
  since: Date.parse(createdAt),
})

/** A voice call: starts, connects, reconnects and ends one session. */
export function createCall(host: CallHost) {
  const opening = host.session ? leftOpen(host.session) : NO_CALL
  const shown = createBatchedState<CallState>(opening, 0)
  const tell = (event: CallEvent) => shown.set(applyCallEvent(shown.get(), event))
  const citer = createCiter(host.sessions, (line, citations) => tell({ type: 'cited', line, citations }))
  let line: Line | undefined
  /** Typed messages, which a provider may echo as heard. */
  const typed = new Set<string>()
  /** Rises with every connection attempt; results of earlier attempts are ignored. */
  let attempt = 0

  const hear = (mine: number): LineEvents => {
    const ifMine =
      <Given extends readonly unknown[]>(does: (...given: Given) => void) =>
      (...given: Given) => {
        if (mine === attempt) does(...given)
      }
    return {
      onSaid: ifMine((who, text) => {
        if (text.trim() === '' || (who === 'you' && typed.delete(text.trim()))) return
        tell({ type: 'said', who, text })
        const { sessionId: of, lines } = shown.get()
        if (who === 'agent' && of) void citer.cite(of, lines.length)
      }),
      onCorrected: ifMine((original, heard) => tell({ type: 'corrected', original, heard })),
      onInterrupted: ifMine(() => tell({ type: 'interrupted' })),
      onSpeaks: ifMine((speaks) => tell({ type: 'turned', speaks })),
      onGone: ifMine((why) => {
        line = undefined
        if (why === 'error') lost()
        else tell({ type: 'over', by: why === 'user' ? 'you' : 'agent', at: host.now() })
      }),
    }
  }

  const connect = async (to: Connection, mine: number) => {
    try {
      const opened = await host.openLine(to, hear(mine))
      if (mine !== attempt) {
        await opened.close()
        return
      }
      line = opened
      tell({ type: 'connected', at: host.now() })
      if (shown.get().isMuted) line.mute(true)
    } catch (failure) {
      if (mine !== attempt) return
      const problem = toMicrophoneProblem(failure)
      if (problem) tell({ type: 'failed', problem })
      else lost()
    }
  }

  const lost = () => {
    tell({ type: 'dropped' })
    const { phase } = shown.get()
    if (phase.kind === 'dropped' && phase.next === 'reconnects') void connectAgain('connect-asked')
  }

  const connectAgain = async (
    asked: 'connect-asked' | 'reconnect-asked',
    display: 'connecting' | 'keep-view' = 'connecting',
  ) => {
    const { sessionId: of } = shown.get()
    if (!of) return
    const mine = (attempt += 1)
    if (display === 'connecting') tell({ type: asked })
    try {
      const to = await host.sessions.reconnect(of)
      if (mine !== attempt) return
      if (display === 'keep-view') tell({ type: asked })
      await connect(to, mine)
    } catch (failure) {
      if (mine === attempt) tell({ type: 'failed', problem: toTalkProblem(failure) })
    }
  }

  const begin = async () => {
    const mine = (attempt += 1)
    tell({ type: 'microphone-asked' })
    const problem = await host.askMicrophone()
    if (mine !== attempt) return undefined
    if (problem) return tell({ type: 'failed', problem })
    const { sessionId: of } = shown.get()
    if (of) {
      citer.passEarlier(of)
      return connectAgain('reconnect-asked')
    }
    tell({ type: 'start-asked' })
    return start(mine)
  }

  const start = async (mine: number) => {
    try {
      const started = await startPatiently(host.start, () => mine === attempt)
      if (mine !== attempt) {
        await host.sessions.end(started.sessionId)
        return
      }
      tell({ type: 'started', sessionId: started.sessionId })
      host.onSession(started.sessionId)
      await connect(started, mine)
    } catch (failure) {
      if (mine === attempt) tell({ type: 'failed', problem: toTalkProblem(failure) })
    }
  }

  return {
    state: shown.get,
    subscribe: shown.subscribe,
    /** Starts the call, or reconnects to the existing session. */
    begin: () => void begin(),
    /** Like `begin`, but keeps showing the failure until the attempt succeeds. */
    tryAgain: () =>
      shown.get().sessionId ? connectAgain('reconnect-asked', 'keep-view') : start((attempt += 1)),
    say: (text: string) => {
      if (!line) return
      typed.add(text.trim())
      line.say(text)
      tell({ type: 'said', who: 'you', text })
    },
    mute: (isMuted: boolean) => {
      line?.mute(isMuted)
      tell({ type: 'muted', isMuted })
    },
    hangUp: () => {
      if (line) void line.close()
      else {
        attempt += 1
        tell({ type: 'over', by: 'you', at: host.now() })
      }
    },
    /** Takes the stored transcript after the call. */
    learn: (transcript: readonly SessionMessage[]) => {
      const cut = cutAtEnd(shown.get().lines, transcript)
      if (cut) tell(cut)
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
async function startPatiently(
  start: CallHost['start'],
  isWanted: () => boolean,
): Promise<VoiceSessionResponse> {
  try {
    return await start()
  } catch (failure) {
    const isLate = failure instanceof PlatformError && failure.code === 'run_timeout'
    if (isLate && isWanted()) return start()
    throw failure
  }
}

type Kept = Pick<SessionMessage, 'role' | 'content'>

/** The heard part of the last answer after a hang-up, if the transcript ends earlier. */
export function cutAtEnd(
  lines: readonly CallLine[],
  transcript: readonly Kept[],
): Extract<CallEvent, { type: 'corrected' }> | undefined {
  const last = lines.at(-1)
  if (last?.who !== 'agent' || last.isCut) return undefined
  const asked = transcript.findLastIndex(({ role }) => role === 'user')
  const question = lines.findLast(({ who }) => who === 'you')?.text.trim()
  // A transcript that ends with another question belongs to another call or is incomplete.
  if (question !== textOf(transcript[asked])) return undefined
  const answers = transcript.slice(asked + 1).map(textOf)
  const told = last.text.trim()
  if (answers.includes(told)) return undefined
  const heard = answers.findLast((text) => text !== undefined && told.startsWith(text)) ?? ''
  return { type: 'corrected', original: last.text, heard }
}

/** Undefined without text. */
function textOf(message: Kept | undefined): string | undefined {
  const texts = message?.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])) ?? []
  return texts.join('').trim() || undefined
}

/** Citations are stored asynchronously and may arrive a moment later. */
const POLL_MS = 1_500

/** Marks everything before this page joined the call. */
const EARLIER = 0

/** Fetches the citations of each answer, one request at a time, so none counts twice. */
export function createCiter(
  sessions: Pick<ApiClient['sessions'], 'citations'>,
  onCited: (line: number, citations: readonly Citation[]) => void,
) {
  let known = 0
  let before: Promise<unknown> = Promise.resolve()
  /** Answers whose request failed: the next citations may belong to any of them, so they are dropped. */
  const missed = new Set<number>()

  const look = async (sessionId: SessionId, line: number): Promise<boolean> => {
    missed.add(line)
    const found = await citationsAfter(sessions, sessionId, known)
    known = found.at(-1)?.number ?? known
    const isOfThisLine = missed.size === 1 && line !== EARLIER
    missed.clear()
    if (found.length > 0 && isOfThisLine) onCited(line, found)
    return found.length > 0
  }
  const inTurn = (sessionId: SessionId, line: number): Promise<boolean> => {
    const mine = before.then(() => look(sessionId, line)).catch(() => false)
    before = mine
    return mine
  }

  return {
    async cite(sessionId: SessionId, line: number): Promise<void> {
      if (await inTurn(sessionId, line)) return
      setTimeout(() => void inTurn(sessionId, line), POLL_MS)
    },
    /** Skips citations from before this page joined the call. */
    passEarlier: (sessionId: SessionId) => void inTurn(sessionId, EARLIER),
  }
}
