import type { AnswerPart, TranscriptTurn } from '@parley/api-client'
import { memo, type ReactNode } from 'react'
import { Markdown } from '../markdown/markdown.tsx'
import type { SessionReader } from './session-reader.ts'
import type { Asking } from './session-state.ts'
import { textOf } from './text-of.ts'
import { TurnEnding } from './turn-ending.tsx'
import { visibleText } from './visible-text.ts'
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
        {waitsFor && actions && (
          <WaitingCallView key={waitsFor.callId} call={waitsFor} asking={asking} onDecide={actions.decide} />
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

type ToolPart = Extract<AnswerPart, { kind: 'tool' }>

function ToolView({ part, turn }: { part: ToolPart; turn: TranscriptTurn }) {
  const { call, outcome } = part
  const waits = turn.waitsFor?.callId === call.id
  return (
    <Aside summary={`Tool ${visibleText(call.name)}: ${progressOf(part, turn)}`} open={waits}>
      <pre className="max-h-80 overflow-auto font-mono text-xs wrap-anywhere whitespace-pre-wrap">
        {visibleText(JSON.stringify(call.input, undefined, 2))}
      </pre>
      {outcome && (
        <pre className="border-line max-h-80 overflow-auto border-t pt-2 font-mono text-xs wrap-anywhere whitespace-pre-wrap">
          {outcome.text}
        </pre>
      )}
    </Aside>
  )
}

function progressOf({ call, outcome }: ToolPart, { state, waitsFor }: TranscriptTurn): string {
  if (outcome?.kind === 'ok') return 'done'
  if (outcome) return outcome.code === 'tool_denied' ? 'refused' : 'failed'
  if (state === 'running') return 'running…'
  return waitsFor?.callId === call.id ? 'waits for you' : 'without a result'
}

interface AsideProps {
  readonly summary: string
  readonly open?: boolean
  readonly children: ReactNode
}

function Aside({ summary, open = false, children }: AsideProps) {
  return (
    <details open={open} className="text-soft text-sm leading-6">
      <summary className="hover:text-ink w-fit">{summary}</summary>
      <div className="border-line mt-2 flex flex-col gap-2 border-s ps-4">{children}</div>
    </details>
  )
}

const Thinking = () => (
  <p className="animate-breathe text-soft leading-none tracking-widest">
    <span aria-hidden="true">•••</span>
    <span className="sr-only">Answering</span>
  </p>
)
