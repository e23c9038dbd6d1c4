import { type ReactNode, memo, use } from 'react'
import type { AnswerPart, TranscriptTurn } from '@parley/api-client'
import { type SessionMessage, type SessionView, shortMoneyOf } from '@parley/contracts'
import { useMayDecide } from '../approvals/use-approvals.ts'
import { Markdown } from '../markdown/markdown.tsx'
import { Notice } from '../ui/notice.tsx'
import { timeInWords } from '../ui/time-in-words.ts'
import { visibleText } from '../ui/visible-text.ts'
import { AnswerFrameContext } from './answer-frame.ts'
import { Aside } from './aside.tsx'
import { durationInWords } from './duration-in-words.ts'
import { mediaAddress } from './media-address.ts'
import type { SessionReader } from './session-reader.ts'
import type { Asking } from './session-state.ts'
import { textOf } from './text-of.ts'
import { ToolView } from './tool-view.tsx'
import type { TurnDetail } from './turn-details.ts'
import { TurnEnding } from './turn-ending.tsx'
import { WaitingCallView } from './waiting-call.tsx'

/** Formats that a browser only draws. */
const PICTURES: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp'])

/** What came along with a message: pictures to see, everything to save. */
function MediaView({ message: { sessionId, content } }: { message: SessionMessage }) {
  const media = content.flatMap((part) => (part.type === 'media' ? [part] : []))
  if (media.length === 0) return null
  return (
    <ul aria-label="Attached" className="flex flex-wrap gap-3 text-sm">
      {media.map(({ handle, mediaType, name }, index) => {
        const address = mediaAddress(sessionId, handle)
        const label = visibleText(name ?? mediaType)
        return (
          <li key={index}>
            <a href={address} download={name ?? true} className="text-accent flex flex-col gap-1 underline">
              {PICTURES.has(mediaType) && (
                <img
                  src={address}
                  alt=""
                  loading="lazy"
                  className="border-line size-32 border object-contain"
                />
              )}
              {label}
            </a>
          </li>
        )
      })}
    </ul>
  )
}

interface TurnFooterProps {
  readonly at: string
  readonly detail: TurnDetail | undefined
}

/** When a turn was, and what it took. One line from the beginning, so that nothing moves when the rest is known. */
function TurnFooter({ at, detail }: TurnFooterProps) {
  return (
    <p className="text-soft truncate text-xs leading-5 tabular-nums">
      <time dateTime={at}>{timeInWords(at)}</time>
      {detail && toldOf(detail).map((words) => ` · ${words}`)}
    </p>
  )
}

function toldOf({ model, tookMs, tokens, microcents }: TurnDetail): readonly string[] {
  return [
    ...(model === undefined ? [] : [model]),
    ...(tookMs === undefined ? [] : [durationInWords(tookMs)]),
    ...(tokens ? [`${tokens.toLocaleString()} tokens`] : []),
    ...(microcents ? [shortMoneyOf(microcents)] : []),
  ]
}

interface TurnViewProps {
  readonly turn: TranscriptTurn
  readonly agent: string
  /** Whose questions these are. */
  readonly person: string
  readonly asking: Asking
  /** Given where something can be done about the turn. */
  readonly actions: Pick<SessionReader, 'send' | 'goOn' | 'decide'> | undefined
  /** What it took, where that is known. */
  readonly detail?: TurnDetail | undefined
}

export const TurnView = memo(function TurnView({
  turn,
  agent,
  person,
  asking,
  actions,
  detail,
}: TurnViewProps) {
  const { question, parts, state, waitsFor } = turn
  const { agentName = agent, Below, isShownBelow } = use(AnswerFrameContext)
  const mayDecide = useMayDecide()
  const text = question && textOf(question)
  const again = actions && text && { onGoOn: actions.goOn, onSendAgain: () => actions.send(text) }
  return (
    <>
      {question && text !== undefined && (
        <Entry role="user" name={person} text={text}>
          <MediaView message={question} />
        </Entry>
      )}
      <Entry role="assistant" name={agentName} busy={state === 'running'}>
        {parts.map((part, index) =>
          isShownBelow?.(part) ? null : (
            <AnswerPartView key={index} part={part} turn={turn} detail={detail} />
          ),
        )}
        {state === 'running' && <Thinking />}
        {asking.kind === 'overtaken' && <Notice>{asking.reason}</Notice>}
        {waitsFor && actions && (
          <WaitingCallView
            key={`${waitsFor.callId} ${waitsFor.inputHash}`}
            call={waitsFor}
            asking={asking}
            onDecide={mayDecide ? actions.decide : undefined}
          />
        )}
        <TurnEnding turn={turn} asking={asking} again={again || undefined} />
        {Below && <Below turn={turn} />}
        {question && state !== 'running' && <TurnFooter at={question.timestamp} detail={detail} />}
      </Entry>
    </>
  )
})

/** "You" is who reads it, and nobody else. */
export const personIn = ({ ownerLabel }: SessionView): string => ownerLabel ?? 'You'

interface EntryProps {
  readonly role: 'user' | 'assistant'
  readonly name: string
  readonly text?: string
  readonly busy?: boolean
  readonly children?: ReactNode
}

/** Somebody's words, their name in the margin as in a printed conversation. */
export function Entry({ role, name, text, busy = false, children }: EntryProps) {
  return (
    <article
      data-role={role}
      aria-label={name}
      aria-busy={busy}
      className="data-[role=user]:border-line grid gap-x-6 gap-y-1 data-[role=user]:border-t data-[role=user]:pt-6 data-[role=user]:first:border-t-0 data-[role=user]:first:pt-0 lg:grid-cols-[6rem_minmax(0,1fr)]"
    >
      <p
        aria-hidden="true"
        className="text-soft text-sm leading-[1.65rem] wrap-break-word max-lg:truncate lg:text-end"
      >
        {name}
      </p>
      <div className="flex min-w-0 flex-col gap-3">
        {text !== undefined && (
          <p className="font-serif text-[1.0625rem] leading-[1.65rem] wrap-anywhere whitespace-pre-wrap">
            {text}
          </p>
        )}
        {children}
      </div>
    </article>
  )
}

interface AnswerPartProps extends Pick<TurnViewProps, 'turn' | 'detail'> {
  readonly part: AnswerPart
}

function AnswerPartView({ part, turn, detail }: AnswerPartProps) {
  if (part.kind === 'tool') return <ToolView part={part} turn={turn} calls={detail?.calls ?? []} />
  if (part.kind === 'text') return <Markdown text={part.text} />
  return (
    <Aside summary="Reasoning">
      <p className="wrap-anywhere whitespace-pre-wrap">{part.text}</p>
    </Aside>
  )
}

const Thinking = () => (
  <p className="animate-breathe text-soft leading-none tracking-widest">
    <span aria-hidden="true">•••</span>
    <span className="sr-only">Answering</span>
  </p>
)
