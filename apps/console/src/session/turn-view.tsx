import { type ReactNode, memo, use, useRef } from 'react'
import type { AnswerPart, TranscriptTurn } from '@parley/api-client'
import { type SessionMessage, type SessionView, formatShortMoney } from '@parley/contracts'
import { useFocusAfter, focusMessageBoxWithKeyboard } from '../ui/focus.ts'
import { useMayDecide } from '../approvals/use-approvals.ts'
import { MarkdownView } from '../markdown/markdown.tsx'
import { Button } from '../ui/button.tsx'
import { Notice } from '../ui/notice.tsx'
import { formatTime } from '../ui/format.ts'
import { escapeInvisible } from '../ui/escape-invisible.ts'
import { AnswerFrameContext, Aside, MessageView } from './message-view.tsx'
import type { SessionReader } from './session-reader.ts'
import type { TurnRequest } from './session-state.ts'
import { formatDuration, toMediaUrl, getMessageText } from './text-labels.ts'
import { ToolView } from './tool-view.tsx'
import type { TurnDetail } from './turn-details.ts'
import { WaitingCallView } from './waiting-call.tsx'

interface TurnEndingProps {
  readonly turn: TranscriptTurn
  readonly request: TurnRequest
  /** Set for the last turn of an active session. */
  readonly handlers: EndingHandlers | undefined
}

interface EndingHandlers {
  readonly onContinue: () => void
  readonly onSendAgain: () => void
}

/** Why a turn ended without an answer, and possible actions. */
function TurnEnding({ turn, request, handlers }: TurnEndingProps) {
  const { state, error, parts } = turn
  const actions = handlers && <EndingActions handlers={handlers} request={request} />
  switch (state) {
    case 'running':
    case 'waiting':
    case 'completed':
      return null
    case 'cancelled':
      return <EndingNote action={parts.at(-1)?.kind !== 'text' && actions}>{describeStop(turn)}</EndingNote>
    case 'max_tokens':
      return <EndingNote>Cut off at the maximum length.</EndingNote>
    case 'interrupted':
      return <Notice action={actions}>{INTERRUPTED}</Notice>
    case 'error':
      return (
        <Notice action={error?.retryable !== false && actions}>
          {error && error.code !== 'internal' ? error.message : INTERRUPTED}
        </Notice>
      )
    case 'unanswered':
      return <EndingNote action={actions}>No answer.</EndingNote>
    default:
      return state satisfies never
  }
}

/** A spoken answer is interrupted; a typed one is stopped. */
function describeStop({ question, parts }: TranscriptTurn): string {
  if (question?.turnId !== undefined) return 'Stopped.'
  return parts.some(({ kind }) => kind === 'text') ? 'Interrupted here.' : 'Interrupted before it was heard.'
}

const INTERRUPTED = 'This answer was interrupted.'

function EndingActions({
  handlers: { onContinue, onSendAgain },
  request,
}: {
  handlers: EndingHandlers
  request: TurnRequest
}) {
  const box = useRef<HTMLDivElement>(null)
  useFocusAfter(box, focusMessageBoxWithKeyboard)
  const isPending = request.kind === 'pending'
  return (
    <div ref={box} className="flex flex-col gap-2">
      <div className="flex flex-wrap gap-2">
        <Button
          title="Continue from the saved part of this answer"
          aria-disabled={isPending}
          onClick={onContinue}
        >
          Continue
        </Button>
        <Button
          title="Send the same message again"
          aria-disabled={isPending}
          onClick={() => isPending || onSendAgain()}
        >
          Send again
        </Button>
      </div>
      {request.kind === 'refused' && (
        <p role="alert" className="text-alarm">
          {request.reason}
        </p>
      )}
    </div>
  )
}

function EndingNote({ children, action }: { children: ReactNode; action?: ReactNode }) {
  return (
    <div className="text-soft flex flex-wrap items-center gap-x-4 gap-y-2 text-sm">
      <p>{children}</p>
      {action}
    </div>
  )
}

/** Image formats that cannot run code. */
const PICTURES: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp'])

/** Attachments of a message: images inline, all files to save. */
function MediaView({ message: { sessionId, content } }: { message: SessionMessage }) {
  const media = content.flatMap((part) => (part.type === 'media' ? [part] : []))
  if (media.length === 0) return null
  return (
    <ul aria-label="Attached" className="flex flex-wrap gap-3 text-sm">
      {media.map(({ handle, mediaType, name }, index) => {
        const address = toMediaUrl(sessionId, handle)
        const label = escapeInvisible(name ?? mediaType)
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

/** The time and details of a turn. Always one line, so the layout does not shift. */
function TurnFooter({ at, detail }: { at: string; detail: TurnDetail | undefined }) {
  return (
    <p className="text-soft truncate text-xs leading-5 tabular-nums">
      <time dateTime={at}>{formatTime(at)}</time>
      {detail && listDetailLabels(detail).map((words) => ` · ${words}`)}
    </p>
  )
}

function listDetailLabels({ model, tookMs, tokens, microcents }: TurnDetail): readonly string[] {
  return [
    ...(model === undefined ? [] : [model]),
    ...(tookMs === undefined ? [] : [formatDuration(tookMs)]),
    ...(tokens ? [`${tokens.toLocaleString()} tokens`] : []),
    ...(microcents ? [formatShortMoney(microcents)] : []),
  ]
}

interface TurnViewProps {
  readonly turn: TranscriptTurn
  readonly agent: string
  /** The author of the questions. */
  readonly person: string
  readonly request: TurnRequest
  /** Set if the turn can be continued or sent again. */
  readonly actions: Pick<SessionReader, 'send' | 'continueTurn' | 'decide'> | undefined
  readonly detail?: TurnDetail | undefined
}

export const TurnView = memo(function TurnView({
  turn,
  agent,
  person,
  request,
  actions,
  detail,
}: TurnViewProps) {
  const { question, parts, state, waitsFor } = turn
  const { agentName = agent, Below, isShownBelow } = use(AnswerFrameContext)
  const mayDecide = useMayDecide()
  const text = question && getMessageText(question)
  const handlers = actions &&
    text && { onContinue: actions.continueTurn, onSendAgain: () => actions.send(text) }
  return (
    <>
      {question && text !== undefined && (
        <MessageView role="user" name={person} text={text}>
          <MediaView message={question} />
        </MessageView>
      )}
      <MessageView role="assistant" name={agentName} busy={state === 'running'}>
        {parts.map((part, index) =>
          isShownBelow?.(part) ? null : (
            <AnswerPartView key={index} part={part} turn={turn} detail={detail} />
          ),
        )}
        {state === 'running' && <Thinking />}
        {request.kind === 'overtaken' && <Notice>{request.reason}</Notice>}
        {waitsFor && actions && (
          <WaitingCallView
            key={`${waitsFor.callId} ${waitsFor.inputHash}`}
            call={waitsFor}
            request={request}
            onDecide={mayDecide ? actions.decide : undefined}
          />
        )}
        <TurnEnding turn={turn} request={request} handlers={handlers || undefined} />
        {Below && <Below turn={turn} />}
        {question && state !== 'running' && <TurnFooter at={question.timestamp} detail={detail} />}
      </MessageView>
    </>
  )
})

/** "You" only for the reader's own sessions. */
export const getAuthorName = ({ ownerLabel }: SessionView): string => ownerLabel ?? 'You'

interface AnswerPartProps extends Pick<TurnViewProps, 'turn' | 'detail'> {
  readonly part: AnswerPart
}

function AnswerPartView({ part, turn, detail }: AnswerPartProps) {
  if (part.kind === 'tool') return <ToolView part={part} turn={turn} calls={detail?.calls ?? []} />
  if (part.kind === 'text') return <MarkdownView text={part.text} />
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
