import type { Fact, Source } from '@parley/contracts'
import { useConsoleHost } from '../../app/console-host.ts'
import { Section } from '../../ui/page-body.tsx'
import { PageList } from '../../ui/page-list.tsx'
import { type Pages, usePages } from '../../ui/use-pages.ts'
import { visibleText } from '../../ui/visible-text.ts'
import { whenInWords } from '../facts/when-in-words.ts'
import { useOpenReflection } from '../open-reflection.ts'
import { reflectionKey } from '../reflection-keys.ts'
import { SourceLink } from '../source-link.tsx'

/** What counts of what was found in a source. */
export function useSourceFacts(source: Source): Pages<Fact> {
  const { client } = useConsoleHost()
  const { id: reflectionId } = useOpenReflection().reflection
  return usePages({
    key: [...reflectionKey(reflectionId), 'facts', 'of', source.id, source.state],
    read: (page) => client.reflections.facts({ reflectionId, sourceId: source.id, state: 'active', ...page }),
  })
}

/** Each fact with the way to its words. */
export function SourceFacts({ source, pages }: { source: Source; pages: Pages<Fact> }) {
  const { id: reflectionId } = useOpenReflection().reflection
  return (
    <Section title="Facts from it">
      <PageList
        pages={pages}
        label="Facts from it"
        empty={<p className="text-soft text-sm leading-6">Nothing that counts was found in it.</p>}
        row={({ id, statement, evidence, ...fact }) => {
          const quote = evidence.find(({ sourceId }) => sourceId === source.id)?.quote
          const when = whenInWords(fact)
          return (
            <li key={id} className="py-2.5 text-sm leading-6 wrap-anywhere">
              {quote === undefined ? (
                visibleText(statement)
              ) : (
                <SourceLink reflectionId={reflectionId} sourceId={source.id} words={quote}>
                  {visibleText(statement)}
                </SourceLink>
              )}
              {when && <span className="text-soft block text-xs leading-5">{when}</span>}
            </li>
          )
        }}
      />
    </Section>
  )
}
