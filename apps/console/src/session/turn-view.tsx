import type { AnswerPart, TranscriptTurn } from '@parley/api-client'
import { memo, type ReactNode } from 'react'
import { Markdown } from '../markdown/markdown.tsx'
import { Button } from '../ui/button.tsx'
import { Notice } from '../ui/notice.tsx'
import { textOf } from './text-of.ts'

interface TurnViewProps {
  readonly turn: TranscriptTurn
  readonly agent: string
  /** Given where the question may be asked again. */
  readonly onAskAgain: ((text: string) => void) | undefined
}

export const TurnView = memo(function TurnView({ turn, agent, onAskAgain }: TurnViewProps) {
  const { question, parts, state } = turn
  const text = question && textOf(question)
  return (
    <>
      {text !== undefined && <Entry role="user" name="You" text={text} />}
      <Entry role="assistant" name={agent} busy={state === 'running'}>
        {parts.map((part, index) => (
          <AnswerPartView key={index} part={part} />
        ))}
        {state === 'running' && <Thinking />}
        <Ending turn={turn} onAskAgain={onAskAgain && text ? () => onAskAgain(text) : undefined} />
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

function AnswerPartView({ part }: { part: AnswerPart }) {
  if (part.kind === 'tool') return <ToolView {...part} />
  if (part.kind === 'text') return <Markdown text={part.text} />
  return (
    <Aside summary="Reasoning">
      <p className="wrap-anywhere whitespace-pre-wrap">{part.text}</p>
    </Aside>
  )
}

function ToolView({ call, outcome }: Extract<AnswerPart, { kind: 'tool' }>) {
  const progress = outcome === undefined ? 'running…' : outcome.kind === 'ok' ? 'done' : 'failed'
  return (
    <Aside summary={`Tool ${call.name}: ${progress}`}>
      <pre className="overflow-x-auto font-mono text-xs">{JSON.stringify(call.input, undefined, 2)}</pre>
      {outcome && (
        <pre className="border-line overflow-x-auto border-t pt-2 font-mono text-xs whitespace-pre-wrap">
          {outcome.text}
        </pre>
      )}
    </Aside>
  )
}

function Aside({ summary, children }: { summary: string; children: ReactNode }) {
  return (
    <details className="text-soft text-sm leading-6">
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

function Ending({ turn, onAskAgain }: { turn: TranscriptTurn; onAskAgain: (() => void) | undefined }) {
  const { state, error } = turn
  const again = onAskAgain && error?.retryable !== false && <Button onClick={onAskAgain}>Try again</Button>
  switch (state) {
    case 'running':
    case 'completed':
      return null
    case 'cancelled':
      return <p className="text-soft text-sm">Stopped</p>
    case 'max_tokens':
      return <p className="text-soft text-sm">Cut off: the answer reached its longest allowed length.</p>
    case 'error':
      return <Notice action={again}>{error?.message ?? 'The answer broke off.'}</Notice>
    case 'unanswered':
      return (
        <p className="text-soft flex flex-wrap items-center gap-x-4 gap-y-2 text-sm">
          No answer was given. {again}
        </p>
      )
    default:
      return state satisfies never
  }
}
