import type { Citation } from '@parley/contracts'
import { type ReactNode, type ToggleEvent, use } from 'react'
import { placeInWords } from '../../reflections/place-in-words.ts'
import { visibleText } from '../../ui/visible-text.ts'
import { useTalkHost } from '../talk-host.ts'
import { drawnFrom, supportingWords } from './drawn-from.ts'
import { CitedSourceContext } from './source-view.tsx'

type Kept = Citation['evidence'][number]
/** Of what is not kept, only the words and the title are known. */
type Item = Pick<Kept, 'text' | 'quote' | 'source'> & Partial<Pick<Kept, 'kind' | 'namespace' | 'place'>>

interface CitedProps {
  readonly answer: string
  /** Absent until they are read, and where nothing is kept. */
  readonly citations: readonly Citation[] | undefined
  /** What the look-ups told, which stands in until then: what somebody has opened stays open. */
  readonly told?: readonly Item[]
}

/** What an answer was drawn from: its sources in a line, their words behind it. What else was found stands apart. */
export function CitedView({ answer, citations, told = [] }: CitedProps) {
  const { name, who } = useTalkHost()
  const items = distinct(citations?.flatMap(({ evidence }) => evidence) ?? told)
  const gone = citations?.reduce((sum, citation) => sum + citation.gone, 0) ?? 0
  if (items.length === 0 && gone === 0) {
    if (!citations) return null
    return <p className="text-soft text-sm leading-6">It looked this up and found nothing.</p>
  }
  const { used, passed } = drawnFrom(answer, items, name)
  const passing = passed.length > 0 && (
    <Items label={used.length > 0 ? 'Also looked at' : 'Looked at'} items={passed} answer="" />
  )
  const lost = gone > 0 && (
    <p>{gone === 1 ? 'One piece' : `${gone} pieces`} of what was found then can no longer be shown.</p>
  )
  return (
    <div className="text-soft flex flex-col gap-2 text-sm leading-6">
      {used.length > 0 ? (
        <Items label="Drawn from" items={used} answer={answer}>
          {passing}
          {lost}
          {who === 'visitor' && (
            <p>These are the words that it found. The whole source is for its members.</p>
          )}
        </Items>
      ) : (
        <>
          {passing}
          {lost}
        </>
      )}
    </div>
  )
}

interface ItemsProps {
  readonly label: string
  readonly items: readonly Item[]
  /** What they are quoted for. */
  readonly answer: string
  readonly children?: ReactNode
}

const Items = ({ label, items, answer, children }: ItemsProps) => (
  <details onToggle={showQuote}>
    <summary className="hover:text-ink w-fit wrap-anywhere">{`${label} ${titlesOf(items)}`}</summary>
    <ol aria-label={label} className="my-2 flex flex-col gap-3">
      {items.map((item) => (
        <li key={keyOf(item)}>
          <Evidence item={item} answer={answer} />
        </li>
      ))}
    </ol>
    {children}
  </details>
)

/** Brings into sight what was opened: the first words that are quoted. */
function showQuote({ currentTarget, newState }: ToggleEvent<HTMLDetailsElement>): void {
  if (newState !== 'open') return
  const first = currentTarget.querySelector('blockquote')
  const quoted = first?.querySelector('mark') ?? first
  quoted?.scrollIntoView({ block: 'nearest' })
}

const titlesOf = (items: readonly Item[]): string =>
  [...new Set(items.map(({ source }) => visibleText(source.title)))].join(', ')

function Evidence({ item, answer }: { item: Item; answer: string }) {
  const { kind = 'chunk', text, quote, namespace, source, place } = item
  const CitedSource = use(CitedSourceContext)
  const where = place ? placeInWords(place) : ''
  return (
    <figure>
      <blockquote className="border-line scroll-my-16 border-s-2 ps-3 wrap-anywhere whitespace-pre-wrap">
        {kind === 'fact' ? (
          <>
            <span className="text-ink">{visibleText(text)} </span>
            {quote && `“${visibleText(quote)}”`}
          </>
        ) : (
          <Passage text={text} answer={answer} />
        )}
      </blockquote>
      <figcaption className="ps-3.5 wrap-anywhere">
        <CitedSource source={source} words={quote ?? (kind === 'chunk' ? text : '')} />
        {where !== '' && `, ${visibleText(where)}`}
        {namespace !== undefined && (
          <>
            {' · '}
            <span className="font-mono text-xs">{namespace}</span>
          </>
        )}
      </figcaption>
    </figure>
  )
}

/** A passage with the words marked that support the answer. */
function Passage({ text, answer }: { text: string; answer: string }) {
  const { name } = useTalkHost()
  const { start, end } = supportingWords(answer, text, name) ?? { start: 0, end: 0 }
  return (
    <>
      “{visibleText(text.slice(0, start))}
      {end > 0 && (
        <mark className="bg-added text-ink scroll-my-16">{visibleText(text.slice(start, end))}</mark>
      )}
      {visibleText(text.slice(end))}”
    </>
  )
}

const keyOf = ({ kind = 'chunk', text, source }: Item) => `${kind} ${source.id ?? source.title} ${text}`

const distinct = (items: readonly Item[]): readonly Item[] => [
  ...new Map(items.map((item) => [keyOf(item), item])).values(),
]
