import { turnsOf, type TranscriptTurn } from '@parley/api-client'
import type { SessionId } from '@parley/contracts'
import {
  type ComponentProps,
  createContext,
  use,
  useEffect,
  useMemo,
  useState,
  useSyncExternalStore,
} from 'react'
import type { Keep } from '../app/keep.ts'
import { AnswerFrameContext, type AnswerFrame } from '../session/answer-frame.ts'
import { Composer } from '../session/composer.tsx'
import { listenWhileSeen } from '../session/listen-while-seen.ts'
import { newKey } from '../session/new-key.ts'
import { createSessionReader, isCallOn, type SessionReader } from '../session/session-reader.ts'
import type { OpenSession } from '../session/session-state.ts'
import { TranscriptView } from '../session/transcript-view.tsx'
import { CitedView } from './citations/cited-view.tsx'
import { isLookUp, matchCitations } from './citations/match-citations.ts'
import { toldEvidence } from './citations/told-citations.ts'
import { useCitations } from './citations/use-citations.ts'
import { foundIn, sourcesIn } from './summary.ts'
import { useTalkHost } from './talk-host.ts'
import { troubleOf } from './trouble.ts'
import { TroubleView } from './trouble-view.tsx'
import { TypedBar } from './typed-bar.tsx'

const LOOK_AGAIN_MS = 5_000

interface TypedViewProps {
  readonly sessionId: SessionId
  readonly keep: Keep
  /** How it greets, where it was just started. */
  readonly greeting?: string | undefined
  readonly speak: ComponentProps<typeof TypedBar>['speak']
  readonly onNew: () => void
}

/** A conversation in writing: a session like any other, with what each answer was drawn from. */
export function TypedView({ sessionId, keep, greeting, speak, onNew }: TypedViewProps) {
  const { client } = useTalkHost()
  const [reader] = useState(() => createSessionReader(sessionId, { client, keep, newKey }))
  const [attempt, setAttempt] = useState(0)
  useEffect(() => listenWhileSeen(reader, attempt === 0 ? 'loads' : 'stands'), [reader, attempt])
  const state = useSyncExternalStore(reader.subscribe, reader.state)
  switch (state.kind) {
    case 'loading':
      return <p className="animate-late text-soft m-auto text-sm">Loading the conversation…</p>
    case 'failed':
      return (
        <TroubleView
          trouble={troubleOf(state.failure)}
          ways={{ again: () => setAttempt((last) => last + 1), new: onNew }}
        />
      )
    case 'open':
      return <OpenTyped open={state} {...{ reader, keep, greeting, speak, onNew }} />
    default:
      return state satisfies never
  }
}

interface OpenTypedProps extends Omit<TypedViewProps, 'sessionId'> {
  readonly open: OpenSession
  readonly reader: SessionReader
}

function OpenTyped({ open, reader, keep, greeting, speak, onNew }: OpenTypedProps) {
  const { client, name } = useTalkHost()
  const { session, transcript } = open
  const turns = turnsOf(transcript)
  // What was looked up is known of once it was found.
  const lookUps = turns.flatMap(({ parts }) => parts.filter(isLookUp)).filter(({ outcome }) => outcome).length
  const isEnded = session.status === 'ended'
  useLooksAgain(reader, isEnded)
  const isHeardElsewhere = isCallOn(session) || !session.mayWrite
  const citations = useCitations(client, session.sessionId, lookUps)
  const cited = useMemo(() => matchCitations(turns, citations), [turns, citations])
  const frame = useMemo(
    (): AnswerFrame => ({
      agentName: name,
      empty: isHeardElsewhere ? undefined : <Greeting greeting={greeting} />,
      Below: Cited,
      isShownBelow: isLookUp,
    }),
    [name, greeting, isHeardElsewhere],
  )
  const sources = sourcesIn(
    turns.map((turn) => {
      const kept = cited.get(turn.key)
      return { answer: answerOf(turn), found: kept ? foundIn(kept) : toldEvidence(turn) }
    }),
    name,
  )
  return (
    <CitedContext value={cited}>
      <AnswerFrameContext value={frame}>
        <TranscriptView open={open} reader={reader} />
        <TypedBar {...{ session, sources, speak, onNew }} answers={answersIn(turns)} onEnd={reader.end} />
        {!isEnded && session.mayWrite && <Composer open={open} reader={reader} keep={keep} />}
        {!isEnded && !session.mayWrite && (
          <p className="border-line text-soft border-t px-4 py-4 text-center text-sm">
            You may read this conversation; what is said in it is for its own person.
          </p>
        )}
      </AnswerFrameContext>
    </CitedContext>
  )
}

/** Asks after an end in another window, while this one is looked at. */
function useLooksAgain(reader: SessionReader, isEnded: boolean) {
  useEffect(() => {
    if (isEnded) return undefined
    const look = () => void (document.visibilityState === 'visible' && reader.lookAgain())
    const timer = setInterval(look, LOOK_AGAIN_MS)
    window.addEventListener('focus', look)
    document.addEventListener('visibilitychange', look)
    return () => {
      clearInterval(timer)
      window.removeEventListener('focus', look)
      document.removeEventListener('visibilitychange', look)
    }
  }, [reader, isEnded])
}

/** As it would greet in a call. */
const Greeting = ({ greeting = 'What would you like to know?' }: { greeting?: string | undefined }) => (
  <p className="w-full py-10 font-serif text-xl leading-8 text-pretty lg:ps-30">{greeting}</p>
)

const CitedContext = createContext<ReturnType<typeof matchCitations>>(new Map())

function Cited({ turn }: { turn: TranscriptTurn }) {
  const citations = use(CitedContext).get(turn.key)
  if (turn.state === 'running') return null
  return <CitedView answer={answerOf(turn)} citations={citations} told={toldEvidence(turn)} />
}

/** Greeting and reminding answer nothing. */
const answersIn = (turns: readonly TranscriptTurn[]): number =>
  turns.filter((turn) => turn.question && answerOf(turn).trim() !== '').length

const answerOf = ({ parts }: TranscriptTurn): string =>
  parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('\n')
