import type { Citation } from '@parley/contracts'
import { type ReactNode, use } from 'react'
import { placeInWords } from '../../reflections/place-in-words.ts'
import { visibleText } from '../../ui/visible-text.ts'
import { useTalkHost } from '../talk-host.ts'
import { drawnFrom } from './drawn-from.ts'
import { CitedSourceContext } from './source-view.tsx'

type Item = Citation['evidence'][number]

interface CitedProps {
  readonly answer: string
  readonly citations: readonly Citation[]
}

/** What an answer was drawn from: its sources in a line, their words behind it. What else was found stands apart. */
export function CitedView({ answer, citations }: CitedProps) {
  const { name, who } = useTalkHost()
  const items = distinct(citations.flatMap(({ evidence }) => evidence))
  const gone = citations.reduce((sum, citation) => sum + citation.gone, 0)
  if (items.length === 0 && gone === 0) {
    return <p className="text-soft text-sm leading-6">It looked this up and found nothing.</p>
  }
  const { used, passed } = drawnFrom(answer, items, name)
  const passing = passed.length > 0 && (
    <Items label={used.length > 0 ? 'Also looked at' : 'Looked at'} items={passed} />
  )
  const lost = gone > 0 && (
    <p>{gone === 1 ? 'One piece' : `${gone} pieces`} of what was found then can no longer be shown.</p>
  )
  return (
    <div className="text-soft flex flex-col gap-2 text-sm leading-6">
      {used.length > 0 ? (
        <Items label="Drawn from" items={used}>
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
  readonly children?: ReactNode
}

const Items = ({ label, items, children }: ItemsProps) => (
  <details>
    <summary className="hover:text-ink w-fit wrap-anywhere">{`${label} ${titlesOf(items)}`}</summary>
    <ol aria-label={label} className="my-2 flex flex-col gap-3">
      {items.map((item) => (
        <li key={keyOf(item)}>
          <Evidence item={item} />
        </li>
      ))}
    </ol>
    {children}
  </details>
)

const titlesOf = (items: readonly Item[]): string =>
  [...new Set(items.map(({ source }) => visibleText(source.title)))].join(', ')

function Evidence({ item }: { item: Item }) {
  const { kind, text, quote, namespace, source, place } = item
  const CitedSource = use(CitedSourceContext)
  const { who } = useTalkHost()
  const where = placeInWords(place)
  return (
    <figure>
      <blockquote
        tabIndex={0}
        className={`border-line border-s-2 ps-3 wrap-anywhere whitespace-pre-wrap outline-offset-[-2px] ${who === 'member' ? 'max-h-44 overflow-y-auto' : ''}`}
      >
        {kind === 'fact' && <span className="text-ink">{visibleText(text)} </span>}
        {kind === 'fact' ? quote && `“${visibleText(quote)}”` : `“${visibleText(text)}”`}
      </blockquote>
      <figcaption className="ps-3.5 wrap-anywhere">
        <CitedSource source={source} words={quote ?? (kind === 'chunk' ? text : '')} />
        {where !== '' && `, ${visibleText(where)}`}
        {' · '}
        <span className="font-mono text-xs">{namespace}</span>
      </figcaption>
    </figure>
  )
}

const keyOf = ({ kind, text, source }: Item) => `${kind} ${source.id ?? source.title} ${text}`

const distinct = (items: readonly Item[]): readonly Item[] => [
  ...new Map(items.map((item) => [keyOf(item), item])).values(),
]
