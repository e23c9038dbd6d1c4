import { type ComponentType, type ReactNode, type ToggleEvent, createContext, use } from 'react'
import type { Citation } from '@parley/contracts'
import { formatSourcePlace } from '../../reflections/format.ts'
import { escapeInvisible } from '../../ui/escape-invisible.ts'
import { useTalkHost } from '../talk-host.ts'
import { splitUsedResults, findSupportingWords } from './find-citations.ts'

type StoredEvidence = Citation['evidence'][number]
/** Off the record only the text and the title are known. */
type CitedItem = Pick<StoredEvidence, 'text' | 'quote' | 'source'> &
  Partial<Pick<StoredEvidence, 'kind' | 'namespace' | 'place'>>

interface CitationsViewProps {
  readonly answer: string
  /** Undefined until loaded, and off the record. */
  readonly citations: readonly Citation[] | undefined
  /** Results from the tool output, shown until the citations load. */
  readonly toolEvidence?: readonly CitedItem[]
}

/** The sources of an answer in one line, with their quotes behind it; unused results are separate. */
export function CitationsView({ answer, citations, toolEvidence = [] }: CitationsViewProps) {
  const { name, who } = useTalkHost()
  const items = removeDuplicates(citations?.flatMap(({ evidence }) => evidence) ?? toolEvidence)
  const goneCount = citations?.reduce((sum, citation) => sum + citation.gone, 0) ?? 0
  if (items.length === 0 && goneCount === 0) {
    if (!citations) return null
    return <p className="text-soft text-sm leading-6">No matching source found.</p>
  }
  const { used, unused } = splitUsedResults(answer, items, name)
  const otherResults = unused.length > 0 && (
    <CitedItems label={used.length > 0 ? 'Also found' : 'Found, not used'} items={unused} answer="" />
  )
  const goneNote = goneCount > 0 && (
    <p>{goneCount === 1 ? 'One quote is' : `${goneCount} quotes are`} no longer available.</p>
  )
  return (
    <div className="text-soft flex flex-col gap-2 text-sm leading-6">
      {used.length > 0 ? (
        <CitedItems label="Source" items={used} answer={answer}>
          {otherResults}
          {goneNote}
          {who === 'visitor' && <p>Quote only. Members can open the full source.</p>}
        </CitedItems>
      ) : (
        <>
          {otherResults}
          {goneNote}
        </>
      )}
    </div>
  )
}

interface CitedItemsProps {
  readonly label: string
  readonly items: readonly CitedItem[]
  /** The answer that the quotes support. */
  readonly answer: string
  readonly children?: ReactNode
}

const CitedItems = ({ label, items, answer, children }: CitedItemsProps) => (
  <details onToggle={showQuote}>
    <summary className="hover:text-ink w-fit wrap-anywhere">{`${label} ${listTitles(items)}`}</summary>
    <ol aria-label={label} className="my-2 flex flex-col gap-3">
      {items.map((item) => (
        <li key={getItemKey(item)}>
          <EvidenceQuote item={item} answer={answer} />
        </li>
      ))}
    </ol>
    {children}
  </details>
)

/** Scrolls to the first quote that was opened. */
function showQuote({ currentTarget, newState }: ToggleEvent<HTMLDetailsElement>): void {
  if (newState !== 'open') return
  const first = currentTarget.querySelector('blockquote')
  const quoted = first?.querySelector('mark') ?? first
  quoted?.scrollIntoView({ block: 'nearest' })
}

const listTitles = (items: readonly CitedItem[]): string =>
  [...new Set(items.map(({ source }) => escapeInvisible(source.title)))].join(', ')

function EvidenceQuote({ item, answer }: { item: CitedItem; answer: string }) {
  const { kind = 'chunk', text, quote, namespace, source, place } = item
  const CitedSource = use(CitedSourceContext)
  const where = place ? formatSourcePlace(place) : ''
  return (
    <figure>
      <blockquote className="border-line scroll-my-16 border-s-2 ps-3 wrap-anywhere whitespace-pre-wrap">
        {kind === 'fact' ? (
          <>
            <span className="text-ink">{escapeInvisible(text)} </span>
            {quote && `“${escapeInvisible(quote)}”`}
          </>
        ) : (
          <MarkedPassage text={text} answer={answer} />
        )}
      </blockquote>
      <figcaption className="ps-3.5 wrap-anywhere">
        <CitedSource source={source} words={quote ?? (kind === 'chunk' ? text : '')} />
        {where !== '' && `, ${escapeInvisible(where)}`}
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
function MarkedPassage({ text, answer }: { text: string; answer: string }) {
  const { name } = useTalkHost()
  const { start, end } = findSupportingWords(answer, text, name) ?? { start: 0, end: 0 }
  return (
    <>
      “{escapeInvisible(text.slice(0, start))}
      {end > 0 && (
        <mark className="bg-added text-ink scroll-my-16">{escapeInvisible(text.slice(start, end))}</mark>
      )}
      {escapeInvisible(text.slice(end))}”
    </>
  )
}

const getItemKey = ({ kind = 'chunk', text, source }: CitedItem) =>
  `${kind} ${source.id ?? source.title} ${text}`

const removeDuplicates = (items: readonly CitedItem[]): readonly CitedItem[] => [
  ...new Map(items.map((item) => [getItemKey(item), item])).values(),
]

export interface CitedSourceProps {
  readonly source: Citation['evidence'][number]['source']
  /** The quoted text, as in the source. */
  readonly words: string
}

/** People who cannot open a source see its title. */
function SourceTitle({ source }: CitedSourceProps) {
  return <span className="text-ink">{escapeInvisible(source.title)}</span>
}

/** Renders a cited source: members get a link to the quote. */
export const CitedSourceContext = createContext<ComponentType<CitedSourceProps>>(SourceTitle)
