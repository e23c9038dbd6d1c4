import type { PublishPreview } from '@parley/contracts'
import { visibleText } from '../../ui/visible-text.ts'
import { useOpenReflection } from '../open-reflection.ts'
import { SourceLink } from '../source-link.tsx'
import { publishInWords } from './publish-in-words.ts'

interface PublishedSourcesProps {
  readonly sources: PublishPreview['sources']
  readonly name: string
  readonly isPublished: boolean
}

/** So many lines are in sight at once. */
const FITS = 9

/** The sources that become public, or are so no more, one by one. */
export function PublishedSources({ sources, name, isPublished }: PublishedSourcesProps) {
  const { id: reflectionId } = useOpenReflection().reflection
  return (
    <>
      <p className="max-w-prose">{publishInWords({ name, isPublished, count: sources.length })}</p>
      {sources.length > 0 && (
        <ul
          aria-label={`Sources in ${name}`}
          tabIndex={0}
          className="border-line max-h-60 list-disc overflow-y-scroll rounded-md border py-1 ps-7"
        >
          {sources.map(({ id, title }) => (
            <li key={id} className="wrap-anywhere">
              <SourceLink reflectionId={reflectionId} sourceId={id} isBeside>
                {visibleText(title)}
              </SourceLink>
            </li>
          ))}
        </ul>
      )}
      {sources.length > FITS && (
        <p className="text-soft">The list scrolls: it has {sources.length} sources.</p>
      )}
      {!isPublished && (
        <p className="max-w-prose">What is added to {name} later is public too, as soon as it is learned.</p>
      )}
    </>
  )
}
