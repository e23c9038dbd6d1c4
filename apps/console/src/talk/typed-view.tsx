import {
  type ComponentProps,
  createContext,
  use,
  useEffect,
  useMemo,
  useState,
  useSyncExternalStore,
} from 'react'
import { type AnswerPart, type TranscriptTurn, listTurns } from '@parley/api-client'
import { type Citation, type SessionId, type SessionView, removeFence } from '@parley/contracts'
import type { BrowserStorage } from '../app/browser-storage.ts'
import { type AnswerFrame, AnswerFrameContext } from '../session/message-view.tsx'
import { Composer, ReadOnlyNote } from '../session/composer.tsx'
import { createRandomKey } from '../session/outbox.ts'
import { type SessionReader, createSessionReader, followWhileVisible } from '../session/session-reader.ts'
import { type OpenSession, isVoiceCallRunning } from '../session/session-state.ts'
import { parseEvidence } from '../session/tool-view.tsx'
import { TranscriptView } from '../session/transcript-view.tsx'
import { Button } from '../ui/button.tsx'
import { CitationsView } from './citations/citations-view.tsx'
import type { EvidenceText } from './citations/find-citations.ts'
import { useCitations } from './citations/load-citations.ts'
import { PermissionsView } from './permissions.tsx'
import { ProblemView } from './problem-view.tsx'
import { toTalkProblem } from './problem.ts'
import { SummaryView, collectEvidence, listUsedSources } from './summary.tsx'
import { useTalkHost } from './talk-host.ts'
import { ErrorNotice } from '../ui/notice.tsx'
import { Loading } from '../ui/query-state.tsx'

/** Citations by turn key. A citation belongs to the first unmatched search with the same query. */
export function groupCitationsByTurn(
  turns: readonly TranscriptTurn[],
  citations: readonly Citation[],
): ReadonlyMap<number, readonly Citation[]> {
  const unmatched = [...citations]
  const byTurn = new Map<number, readonly Citation[]>()
  for (const { key, parts } of turns) {
    const cited = parts.filter(isSearch).flatMap(({ call }) => {
      const index = unmatched.findIndex(({ query }) => query.trim() === getQuery(call.input))
      return index < 0 ? [] : unmatched.splice(index, 1)
    })
    if (cited.length > 0) byTurn.set(key, cited)
  }
  return byTurn
}

type ToolPart = Extract<AnswerPart, { kind: 'tool' }>

/** A search call, by its name here or at a voice provider. */
const isSearch = (part: AnswerPart): part is ToolPart =>
  part.kind === 'tool' && part.call.name.replaceAll('_', '-') === 'retrieve-context'

function getQuery(input: ToolPart['call']['input']): string | undefined {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return undefined
  const { query } = input
  return typeof query === 'string' ? query.trim() : undefined
}

const POLL_MS = 5_000

interface TypedViewProps {
  readonly sessionId: SessionId
  readonly storage: BrowserStorage
  readonly greeting?: string | undefined
  readonly speak: ComponentProps<typeof TypedBar>['speak']
  readonly onNew: () => void
}

/** A text conversation: a session, with citations below each answer. */
export function TypedView({ sessionId, storage, greeting, speak, onNew }: TypedViewProps) {
  const { client } = useTalkHost()
  const [reader] = useState(() =>
    createSessionReader(sessionId, { client, storage, createKey: createRandomKey }),
  )
  const [attempt, setAttempt] = useState(0)
  useEffect(() => followWhileVisible(reader, attempt === 0 ? 'loading' : 'keep-view'), [reader, attempt])
  const state = useSyncExternalStore(reader.subscribe, reader.state)
  switch (state.kind) {
    case 'loading':
      return <Loading className="m-auto">Loading the conversation…</Loading>
    case 'failed':
      return (
        <ProblemView
          problem={toTalkProblem(state.failure)}
          actions={{ retry: () => setAttempt((last) => last + 1), new: onNew }}
        />
      )
    case 'open':
      return <OpenTyped open={state} {...{ reader, storage, greeting, speak, onNew }} />
    default:
      return state satisfies never
  }
}

interface OpenTypedProps extends Omit<TypedViewProps, 'sessionId'> {
  readonly open: OpenSession
  readonly reader: SessionReader
}

function OpenTyped({ open, reader, storage, greeting, speak, onNew }: OpenTypedProps) {
  const { client, name } = useTalkHost()
  const { session, transcript } = open
  const turns = listTurns(transcript)
  // Citations exist once the search has returned.
  const searches = turns
    .flatMap(({ parts }) => parts.filter(isSearch))
    .filter(({ outcome }) => outcome).length
  const isEnded = session.status === 'ended'
  usePolling(reader, isEnded)
  const hasOtherWriter = isVoiceCallRunning(session) || !session.mayWrite
  const citations = useCitations(client, session.sessionId, searches)
  const cited = useMemo(() => groupCitationsByTurn(turns, citations), [turns, citations])
  const frame = useMemo(
    (): AnswerFrame => ({
      agentName: name,
      empty: hasOtherWriter ? undefined : <Greeting greeting={greeting} />,
      Below: TurnCitations,
      isShownBelow: isSearch,
    }),
    [name, greeting, hasOtherWriter],
  )
  const sources = listUsedSources(
    turns.map((turn) => {
      const citationsOfTurn = cited.get(turn.key)
      return {
        answer: getAnswerText(turn),
        evidence: citationsOfTurn ? collectEvidence(citationsOfTurn) : listToolEvidence(turn),
      }
    }),
    name,
  )
  return (
    <CitedContext value={cited}>
      <AnswerFrameContext value={frame}>
        <TranscriptView open={open} reader={reader} />
        <TypedBar {...{ session, sources, speak, onNew }} answers={countAnswers(turns)} onEnd={reader.end} />
        {!isEnded && session.mayWrite && <Composer open={open} reader={reader} storage={storage} />}
        {!isEnded && !session.mayWrite && (
          <ReadOnlyNote>Read-only: only the owner of this conversation can write.</ReadOnlyNote>
        )}
      </AnswerFrameContext>
    </CitedContext>
  )
}

/** Polls for an end in another window while this one is visible. */
function usePolling(reader: SessionReader, isEnded: boolean) {
  useEffect(() => {
    if (isEnded) return undefined
    const poll = () => void (document.visibilityState === 'visible' && reader.refresh())
    const timer = setInterval(poll, POLL_MS)
    window.addEventListener('focus', poll)
    document.addEventListener('visibilitychange', poll)
    return () => {
      clearInterval(timer)
      window.removeEventListener('focus', poll)
      document.removeEventListener('visibilitychange', poll)
    }
  }, [reader, isEnded])
}

/** The same greeting as in a call. */
const Greeting = ({ greeting = 'What would you like to know?' }: { greeting?: string | undefined }) => (
  <p className="w-full py-10 font-serif text-xl leading-8 text-pretty lg:ps-30">{greeting}</p>
)

const CitedContext = createContext<ReturnType<typeof groupCitationsByTurn>>(new Map())

function TurnCitations({ turn }: { turn: TranscriptTurn }) {
  const citations = use(CitedContext).get(turn.key)
  if (turn.state === 'running') return null
  return (
    <CitationsView answer={getAnswerText(turn)} citations={citations} toolEvidence={listToolEvidence(turn)} />
  )
}

/** Greetings and reminders do not count. */
const countAnswers = (turns: readonly TranscriptTurn[]): number =>
  turns.filter((turn) => turn.question && getAnswerText(turn).trim() !== '').length

const getAnswerText = ({ parts }: TranscriptTurn): string =>
  parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('\n')

/** Search results in a turn's tool outputs: the only evidence off the record. */
export const listToolEvidence = ({ parts }: Pick<TranscriptTurn, 'parts'>): readonly EvidenceText[] =>
  parts.filter(isSearch).flatMap(({ outcome }) => {
    const evidence = outcome?.kind === 'ok' ? (parseEvidence(removeFence(outcome.text)) ?? []) : []
    return evidence.flatMap(({ text, source }) =>
      typeof source === 'string' ? [{ text, source: { title: source } }] : [],
    )
  })

interface TypedBarProps {
  readonly session: SessionView
  readonly sources: readonly string[]
  readonly answers: number
  readonly onEnd: () => Promise<void>
  /** Set if voice is available: starts a new call, or reconnects this one. */
  readonly speak:
    | { readonly onSpeak: () => void; readonly onReconnect: (session: SessionView) => void }
    | undefined
  readonly onNew: () => void
}

/** Permissions and the End button of a text conversation; its summary once ended. */
function TypedBar({ session, sources, answers, onEnd, speak, onNew }: TypedBarProps) {
  const [ending, setEnding] = useState<'no' | 'pending' | { readonly failure: unknown }>('no')
  const isOffRecord = session.reflection?.ingestion === 'off-record'
  const end = async () => {
    setEnding('pending')
    try {
      await onEnd()
    } catch (failure) {
      setEnding({ failure })
    }
  }
  if (session.status === 'ended') {
    return (
      <div className="border-line max-h-[60dvh] overflow-y-auto border-t px-4 pb-[max(1rem,env(safe-area-inset-bottom))] sm:px-8">
        <div className="mx-auto max-w-[38rem] pt-4 lg:max-w-[45.5rem] [&>section]:border-t-0 [&>section]:pt-0">
          <SummaryView
            title="The conversation has ended"
            durationMs={Date.parse(session.updatedAt) - Date.parse(session.createdAt)}
            answers={answers}
            sources={sources}
            session={session}
            isOffRecord={isOffRecord}
            onNew={onNew}
          />
        </div>
      </div>
    )
  }
  return (
    <div className="border-line flex flex-col gap-2 border-t px-4 py-1.5 sm:px-8">
      <div className="relative mx-auto w-full max-w-[38rem] lg:max-w-[45.5rem] lg:ps-30">
        <div className="py-1.5 max-sm:py-2.5">
          <PermissionsView session={session} />
        </div>
        <div className="absolute end-0 top-0 flex gap-1">
          {speak && session.channel === 'voice' && session.mayWrite && (
            <Button variant="ghost" onClick={() => speak.onReconnect(session)}>
              Reconnect by voice
            </Button>
          )}
          {speak && session.channel === 'text' && (
            <Button
              variant="ghost"
              title="Starts a new conversation; this one stays open"
              onClick={speak.onSpeak}
            >
              Voice call
            </Button>
          )}
          <Button variant="ghost" aria-disabled={ending === 'pending'} onClick={() => void end()}>
            End
          </Button>
        </div>
      </div>
      {typeof ending === 'object' && <ErrorNotice error={ending.failure} />}
    </div>
  )
}
