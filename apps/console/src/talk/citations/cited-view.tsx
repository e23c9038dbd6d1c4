import type { Citation } from '@parley/contracts'
import { use } from 'react'
import { placeInWords } from '../../reflections/place-in-words.ts'
import { visibleText } from '../../ui/visible-text.ts'
import { CitedSourceContext } from './source-view.tsx'

type Item = Citation['evidence'][number]

/** What an answer was drawn from: its sources in a line, their words behind it. */
export function CitedView({ citations }: { citations: readonly Citation[] }) {
  const items = distinct(citations.flatMap(({ evidence }) => evidence))
  const gone = citations.reduce((sum, citation) => sum + citation.gone, 0)
  if (items.length === 0 && gone === 0) {
    return <p className="text-soft text-sm leading-6">It looked this up and found nothing.</p>
  }
  const titles = [...new Set(items.map(({ source }) => source.title))]
  return (
    <details className="text-soft text-sm leading-6">
      <summary className="hover:text-ink w-fit wrap-anywhere">
        {titles.length > 0
          ? `Drawn from ${titles.map(visibleText).join(', ')}`
          : 'Drawn from what is no longer here'}
      </summary>
      <ol aria-label="What this was drawn from" className="mt-2 flex flex-col gap-3">
        {items.map((item) => (
          <li key={keyOf(item)}>
            <Evidence item={item} />
          </li>
        ))}
      </ol>
      {gone > 0 && (
        <p className="mt-2">
          {gone === 1 ? 'One piece' : `${gone} pieces`} of what was found then can no longer be shown.
        </p>
      )}
    </details>
  )
}

function Evidence({ item }: { item: Item }) {
  const { kind, text, quote, namespace, source, place } = item
  const CitedSource = use(CitedSourceContext)
  const where = placeInWords(place)
  return (
    <figure>
      <blockquote
        tabIndex={0}
        className="border-line max-h-44 overflow-y-auto border-s-2 ps-3 wrap-anywhere whitespace-pre-wrap outline-offset-[-2px]"
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
