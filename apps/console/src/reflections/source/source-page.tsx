import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { type Fact, PlatformError, type Source, type SourceId } from '@parley/contracts'
import { useConsoleHost } from '../../app/console-host.ts'
import { PageBody, Section } from '../../ui/page-body.tsx'
import { PageList } from '../../ui/page-list.tsx'
import { type Pages, usePages } from '../../ui/use-pages.ts'
import { visibleText } from '../../ui/visible-text.ts'
import { datesInWords } from '../facts/fact-view.tsx'
import { useOpenReflection } from '../open-reflection.ts'
import { LoadError } from '../query-state.tsx'
import { reflectionKey } from '../reflection-keys.ts'
import { SourceLink } from '../source-link.tsx'
import { SourceRow } from '../sources/source-row.tsx'
import { sourceStatus } from '../sources/source-status.ts'
import type { Passage } from './passage.ts'
import { SourceTextView } from './source-text-view.tsx'

const REFRESH_MS = { busy: 700, idle: 30_000 } as const

interface SourcePageProps {
  readonly sourceId: SourceId
  readonly passage: Passage
}

/** One source: its status, its text and its facts. */
export function SourcePage({ sourceId, passage }: SourcePageProps) {
  const { client } = useConsoleHost()
  const { id: reflectionId } = useOpenReflection().reflection
  const {
    data: source,
    error,
    refetch,
    dataUpdatedAt,
  } = useQuery({
    queryKey: [...reflectionKey(reflectionId), 'source', sourceId],
    queryFn: () => client.reflections.source({ reflectionId, sourceId }),
    refetchInterval: ({ state: { data } }) =>
      data && sourceStatus(data).kind === 'busy' ? REFRESH_MS.busy : REFRESH_MS.idle,
    retry: (count, failure) => count < 1 && !isNotFound(failure),
  })
  return (
    <PageBody width="wide">
      <BackToSources />
      {isNotFound(error) && (
        <p className="text-sm leading-6">This source does not exist, or it was removed.</p>
      )}
      {!source && !error && <p className="animate-late text-soft text-sm">Loading the source…</p>}
      {source && !isNotFound(error) && <SourceView source={source} passage={passage} now={dataUpdatedAt} />}
      {error && !isNotFound(error) && <LoadError error={error} retry={refetch} />}
    </PageBody>
  )
}

const isNotFound = (failure: unknown): boolean =>
  failure instanceof PlatformError && ['source_not_found', 'validation'].includes(failure.code)

function BackToSources() {
  const { id: reflectionId } = useOpenReflection().reflection
  return (
    <Link
      to="/reflections/$reflectionId/sources"
      params={{ reflectionId }}
      className="text-soft hover:text-ink -my-2 w-fit py-1 text-sm underline-offset-2 hover:underline"
    >
      All sources
    </Link>
  )
}

function SourceView({ source, passage, now }: { source: Source; passage: Passage; now: number }) {
  const { reflection } = useOpenReflection()
  const navigate = useNavigate()
  const facts = useSourceFacts(source)
  // On a phone the facts are above the text, and would push it down while somebody reads.
  const mayShowText = facts.items !== undefined || facts.error !== null
  return (
    <>
      <title>{`${visibleText(source.title)} · ${reflection.displayName} · Parley`}</title>
      <ul aria-label="Source" className="border-line border-b">
        <SourceRow
          source={source}
          now={now}
          onRemoved={() =>
            void navigate({
              to: '/reflections/$reflectionId/sources',
              params: { reflectionId: reflection.id },
            })
          }
        />
      </ul>
      <div className="grid gap-8 lg:grid-cols-[minmax(0,1fr)_20rem]">
        <div className="order-last flex min-w-0 flex-col gap-4 lg:order-first">
          {mayShowText && <SourceTextView source={source} passage={passage} />}
        </div>
        <SourceFacts source={source} pages={facts} />
      </div>
    </>
  )
}

/** The active facts of a source. */
function useSourceFacts(source: Source): Pages<Fact> {
  const { client } = useConsoleHost()
  const { id: reflectionId } = useOpenReflection().reflection
  return usePages({
    key: [...reflectionKey(reflectionId), 'facts', 'of', source.id, source.state],
    read: (page) => client.reflections.facts({ reflectionId, sourceId: source.id, state: 'active', ...page }),
  })
}

/** The facts of a source, linked to their quotes. */
function SourceFacts({ source, pages }: { source: Source; pages: Pages<Fact> }) {
  const { id: reflectionId } = useOpenReflection().reflection
  return (
    <Section title="Facts from this source">
      <PageList
        pages={pages}
        label="Facts from this source"
        empty={<p className="text-soft text-sm leading-6">No active facts from this source.</p>}
        row={({ id, statement, evidence, ...fact }) => {
          const quote = evidence.find(({ sourceId }) => sourceId === source.id)?.quote
          const dates = datesInWords(fact)
          return (
            <li key={id} className="py-2.5 text-sm leading-6 wrap-anywhere">
              {quote === undefined ? (
                visibleText(statement)
              ) : (
                <SourceLink reflectionId={reflectionId} sourceId={source.id} words={quote}>
                  {visibleText(statement)}
                </SourceLink>
              )}
              {dates && <span className="text-soft block text-xs leading-5">{dates}</span>}
            </li>
          )
        }}
      />
    </Section>
  )
}
