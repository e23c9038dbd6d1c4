import {
  type ComponentType,
  type ReactNode,
  type ToggleEvent,
  createContext,
  use,
  useEffect,
  useState,
} from 'react'
import type { ApiClient } from '@parley/api-client'
import type { Citation, SessionId } from '@parley/contracts'
import { formatPlace } from '../../reflections/format.ts'
import { visibleText } from '../../ui/visible-text.ts'
import { useTalkHost } from '../talk-host.ts'
import { splitByUse, supportingWords } from './find-citations.ts'

type StoredEvidence = Citation['evidence'][number]
/** Off the record only the text and the title are known. */
type Item = Pick<StoredEvidence, 'text' | 'quote' | 'source'> &
  Partial<Pick<StoredEvidence, 'kind' | 'namespace' | 'place'>>

interface CitationsViewProps {
  readonly answer: string
  /** Undefined until loaded, and off the record. */
  readonly citations: readonly Citation[] | undefined
  /** Results from the tool output, shown until the citations load. */
  readonly toolEvidence?: readonly Item[]
}

/** The sources of an answer in one line, with their quotes behind it; unused results are separate. */
export function CitationsView({ answer, citations, toolEvidence = [] }: CitationsViewProps) {
  const { name, who } = useTalkHost()
  const items = distinct(citations?.flatMap(({ evidence }) => evidence) ?? toolEvidence)
  const gone = citations?.reduce((sum, citation) => sum + citation.gone, 0) ?? 0
  if (items.length === 0 && gone === 0) {
    if (!citations) return null
    return <p className="text-soft text-sm leading-6">No matching source found.</p>
  }
  const { used, unused } = splitByUse(answer, items, name)
  const otherResults = unused.length > 0 && (
    <Items label={used.length > 0 ? 'Also found' : 'Found, not used'} items={unused} answer="" />
  )
  const goneNote = gone > 0 && (
    <p>{gone === 1 ? 'One quote is' : `${gone} quotes are`} no longer available.</p>
  )
  return (
    <div className="text-soft flex flex-col gap-2 text-sm leading-6">
      {used.length > 0 ? (
        <Items label="Source" items={used} answer={answer}>
          {otherResults}
          {goneNote}
          {who === 'visitor' && <p>Quote only. Members can open the full source.</p>}
        </Items>
      ) : (
        <>
          {otherResults}
          {goneNote}
        </>
      )}
    </div>
  )
}

interface ItemsProps {
  readonly label: string
  readonly items: readonly Item[]
  /** The answer that the quotes support. */
  readonly answer: string
  readonly children?: ReactNode
}

const Items = ({ label, items, answer, children }: ItemsProps) => (
  <details onToggle={showQuote}>
    <summary className="hover:text-ink w-fit wrap-anywhere">{`${label} ${listTitles(items)}`}</summary>
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

/** Scrolls to the first quote that was opened. */
function showQuote({ currentTarget, newState }: ToggleEvent<HTMLDetailsElement>): void {
  if (newState !== 'open') return
  const first = currentTarget.querySelector('blockquote')
  const quoted = first?.querySelector('mark') ?? first
  quoted?.scrollIntoView({ block: 'nearest' })
}

const listTitles = (items: readonly Item[]): string =>
  [...new Set(items.map(({ source }) => visibleText(source.title)))].join(', ')

function Evidence({ item, answer }: { item: Item; answer: string }) {
  const { kind = 'chunk', text, quote, namespace, source, place } = item
  const CitedSource = use(CitedSourceContext)
  const where = place ? formatPlace(place) : ''
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

/** Citations are stored asynchronously and may arrive a moment later. */
const POLL_MS = 1_000

const NONE: readonly Citation[] = []

/** All citations of a session, fetched again after each answer. */
export function useCitations(
  { sessions }: Pick<ApiClient, 'sessions'>,
  sessionId: SessionId,
  searches: number,
): readonly Citation[] {
  const [known, setKnown] = useState<readonly Citation[]>(NONE)
  const isShort = known.length < searches

  useEffect(() => {
    if (!isShort) return undefined
    let isLeft = false
    const read = async () => {
      const loaded = await citationsAfter(sessions, sessionId, known.length)
      if (isLeft || loaded.length === 0) return
      setKnown((before) => [...before, ...loaded.slice(before.length - known.length)])
    }
    const attempt = () => void read().catch(() => undefined)
    attempt()
    const timer = setTimeout(attempt, POLL_MS)
    return () => {
      isLeft = true
      clearTimeout(timer)
    }
    // One retry per answer with missing citations; they may never arrive.
  }, [sessions, sessionId, searches, isShort, known.length])

  return known
}

/** All citations of a session after that number, across pages. */
export async function citationsAfter(
  sessions: Pick<ApiClient['sessions'], 'citations'>,
  sessionId: SessionId,
  after: number,
): Promise<readonly Citation[]> {
  const { items, nextCursor } = await sessions.citations({ sessionId, after })
  return nextCursor === undefined
    ? items
    : [...items, ...(await citationsAfter(sessions, sessionId, Number(nextCursor)))]
}

export interface CitedSourceProps {
  readonly source: Citation['evidence'][number]['source']
  /** The quoted text, as in the source. */
  readonly words: string
}

/** People who cannot open a source see its title. */
function SourceTitle({ source }: CitedSourceProps) {
  return <span className="text-ink">{visibleText(source.title)}</span>
}

/** Renders a cited source: members get a link to the quote. */
export const CitedSourceContext = createContext<ComponentType<CitedSourceProps>>(SourceTitle)
