import type { ApiClient } from '@parley/api-client'
import {
  type Citation,
  PlatformError,
  type SessionId,
  type SessionMessage,
  type SessionView,
  type VoiceSessionResponse,
} from '@parley/contracts'
import { createShownState } from '../../session/shown-state.ts'
import { citationsAfter } from '../citations/citations-after.ts'
import { troubleOf } from '../trouble.ts'
import { applyCallEvent } from './apply-call-event.ts'
import { type MicrophoneTrouble, microphoneTroubleOf } from './ask-microphone.ts'
import { type CallEvent, type CallLine, type CallState, NO_CALL } from './call-state.ts'
import type { Connection, Line, LineEvents, OpenLine } from './open-line.ts'

export interface CallHost {
  readonly sessions: Pick<ApiClient['sessions'], 'citations' | 'reconnect' | 'end'>
  readonly start: () => Promise<VoiceSessionResponse>
  /** A session that is there already, to be connected to. */
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

/** One spoken session as a page holds it: started, connected, lost, connected anew, ended. */
export function createCall(host: CallHost) {
  const opening = host.session ? leftOpen(host.session) : NO_CALL
  const shown = createShownState<CallState>(opening, 0)
  const tell = (event: CallEvent) => shown.set(applyCallEvent(shown.get(), event))
  const citer = createCiter(host.sessions, (line, citations) => tell({ type: 'cited', line, citations }))
  let line: Line | undefined
  /** What was typed, and a provider may tell as heard. */
  const typed = new Set<string>()
  /** Rises with every attempt to connect, and where one is given up: what an earlier one still brings is not taken. */
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
      const trouble = microphoneTroubleOf(failure)
      if (trouble) tell({ type: 'failed', trouble })
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
    meanwhile: 'says-so' | 'stands' = 'says-so',
  ) => {
    const { sessionId: of } = shown.get()
    if (!of) return
    const mine = (attempt += 1)
    if (meanwhile === 'says-so') tell({ type: asked })
    try {
      const to = await host.sessions.reconnect(of)
      if (mine !== attempt) return
      if (meanwhile === 'stands') tell({ type: asked })
      await connect(to, mine)
    } catch (failure) {
      if (mine === attempt) tell({ type: 'failed', trouble: troubleOf(failure) })
    }
  }

  const begin = async () => {
    const mine = (attempt += 1)
    tell({ type: 'microphone-asked' })
    const trouble = await host.askMicrophone()
    if (mine !== attempt) return undefined
    if (trouble) return tell({ type: 'failed', trouble })
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
      if (mine === attempt) tell({ type: 'failed', trouble: troubleOf(failure) })
    }
  }

  return {
    state: shown.get,
    subscribe: shown.subscribe,
    /** Starts it, or connects anew to a session that is there. */
    begin: () => void begin(),
    /** The same after a failure that passes, without a word until something comes of it. */
    tryAgain: () =>
      shown.get().sessionId ? connectAgain('reconnect-asked', 'stands') : start((attempt += 1)),
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
    /** What is kept of it has come, once it is over. */
    learn: (transcript: readonly SessionMessage[]) => {
      const cut = cutAtEnd(shown.get().lines, transcript)
      if (cut) tell(cut)
    },
    /** The page is left: nothing is told any more. */
    leave: () => {
      attempt += 1
      void line?.close()
      line = undefined
    },
    inputLevel: () => line?.inputLevel() ?? 0,
    outputLevel: () => line?.outputLevel() ?? 0,
  }
}

/** What a call needs is made at the first one, which may take longer than a start may; the next finds it made. */
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

/** Who hangs up has not heard the last answer to its end: where its words in the transcript end, if that is earlier. */
export function cutAtEnd(
  lines: readonly CallLine[],
  transcript: readonly Kept[],
): Extract<CallEvent, { type: 'corrected' }> | undefined {
  const last = lines.at(-1)
  if (last?.who !== 'agent' || last.isCut) return undefined
  const asked = transcript.findLastIndex(({ role }) => role === 'user')
  const question = lines.findLast(({ who }) => who === 'you')?.text.trim()
  // A transcript that ends with another question is not of this call, or not whole.
  if (question !== textOf(transcript[asked])) return undefined
  const answers = transcript.slice(asked + 1).map(textOf)
  const told = last.text.trim()
  if (answers.includes(told)) return undefined
  const heard = answers.findLast((text) => text !== undefined && told.startsWith(text)) ?? ''
  return { type: 'corrected', original: last.text, heard }
}

/** Undefined where it has no words. */
function textOf(message: Kept | undefined): string | undefined {
  const texts = message?.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])) ?? []
  return texts.join('').trim() || undefined
}

/** What was looked up is kept softly, beside the answer: it may be there a moment later. */
const LOOK_AGAIN_MS = 1_500

/** Stands for all that was said before this page heard the call. */
const EARLIER = 0

/** Asks, after each answer, what was looked up since the one before. One question at a time, so that nothing counts twice. */
export function createCiter(
  sessions: Pick<ApiClient['sessions'], 'citations'>,
  onCited: (line: number, citations: readonly Citation[]) => void,
) {
  let known = 0
  let before: Promise<unknown> = Promise.resolve()
  /** Answers that could not be asked for: what is found next may be of any of them, and is then told of none. */
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
      setTimeout(() => void inTurn(sessionId, line), LOOK_AGAIN_MS)
    },
    /** Of a call that was on before: what was looked up until now is no part of what is said from now on. */
    passEarlier: (sessionId: SessionId) => void inTurn(sessionId, EARLIER),
  }
}
