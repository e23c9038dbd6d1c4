import type { AnswerPart, TranscriptTurn } from '@parley/api-client'
import { memo, type ReactNode } from 'react'
import { Markdown } from '../markdown/markdown.tsx'
import { Notice } from '../ui/notice.tsx'
import { Aside } from './aside.tsx'
import type { SessionReader } from './session-reader.ts'
import type { Asking } from './session-state.ts'
import { textOf } from './text-of.ts'
import { ToolView } from './tool-view.tsx'
import { TurnEnding } from './turn-ending.tsx'
import { WaitingCallView } from './waiting-call.tsx'

interface TurnViewProps {
  readonly turn: TranscriptTurn
  readonly agent: string
  readonly asking: Asking
  /** Given where something can be done about the turn. */
  readonly actions: Pick<SessionReader, 'send' | 'goOn' | 'decide'> | undefined
}

export const TurnView = memo(function TurnView({ turn, agent, asking, actions }: TurnViewProps) {
  const { question, parts, state, waitsFor } = turn
  const text = question && textOf(question)
  const again = actions && text && { onGoOn: actions.goOn, onSendAgain: () => actions.send(text) }
  return (
    <>
      {text !== undefined && <Entry role="user" name="You" text={text} />}
      <Entry role="assistant" name={agent} busy={state === 'running'}>
        {parts.map((part, index) => (
          <AnswerPartView key={index} part={part} turn={turn} />
        ))}
        {state === 'running' && <Thinking />}
        {asking.kind === 'overtaken' && <Notice>{asking.reason}</Notice>}
        {waitsFor && actions && (
          <WaitingCallView
            key={`${waitsFor.callId} ${waitsFor.inputHash}`}
            call={waitsFor}
            asking={asking}
            onDecide={actions.decide}
          />
        )}
        <TurnEnding turn={turn} asking={asking} again={again || undefined} />
      </Entry>
    </>
  )
})

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
      <p aria-hidden="true" className="text-soft truncate text-sm leading-[1.65rem] lg:text-end">
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

function AnswerPartView({ part, turn }: { part: AnswerPart; turn: TranscriptTurn }) {
  if (part.kind === 'tool') return <ToolView part={part} turn={turn} />
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
