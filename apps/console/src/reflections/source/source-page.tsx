import { Link, useNavigate, getRouteApi } from '@tanstack/react-router'
import { type Ref, useCallback, useRef } from 'react'
import type { Fact, Source, SourceId, SourcePassage } from '@parley/contracts'
import { useConsoleHost } from '../../app/console-host.ts'
import { PageBody, Section } from '../../ui/page-body.tsx'
import { PageList } from '../../ui/page-list.tsx'
import { type Pages, usePages } from '../../ui/use-pages.ts'
import { useWindowedList } from '../../ui/use-windowed-list.ts'
import { VirtualList } from '../../ui/virtual-list.tsx'
import { escapeInvisible } from '../../ui/escape-invisible.ts'
import { formatFactDates } from '../facts/fact-view.tsx'
import { useOpenReflection } from '../open-reflection.ts'
import { formatSourcePlace } from '../format.ts'
import { ErrorNotice } from '../../ui/notice.tsx'
import { useReflectionQuery } from '../use-reflection-query.ts'
import { getReflectionKey } from '../use-reflections.ts'
import { SourceLink, findPassage } from '../source-link.tsx'
import { SourceListItem } from '../sources/source-list-item.tsx'
import { getSourceStatus } from '../sources/source-status.ts'
import type { Passage } from '../../app/search-params.ts'
import { Loading } from '../../ui/query-state.tsx'
import { hasErrorCode } from '../../ui/error-message.ts'

const REFRESH_MS = { busy: 700, idle: 30_000 } as const

const route = getRouteApi('/reflections/$reflectionId/sources/$sourceId')

/** One source: its status, its text and its facts. The address may name a passage to show. */
export function SourcePage() {
  const sourceId = route.useParams().sourceId as SourceId
  const passage = route.useSearch()
  const { id: reflectionId } = useOpenReflection().reflection
  const query = useReflectionQuery(
    ['source', sourceId],
    (reflections) => reflections.source({ reflectionId, sourceId }),
    {
      refetchInterval: ({ state: { data } }) =>
        data && getSourceStatus(data).kind === 'busy' ? REFRESH_MS.busy : REFRESH_MS.idle,
      retry: (count, failure) => count < 1 && !isNotFound(failure),
    },
  )
  const { data: source, error, refetch, dataUpdatedAt } = query
  return (
    <PageBody width="wide">
      <Link
        to="/reflections/$reflectionId/sources"
        params={{ reflectionId }}
        className="text-soft hover:text-ink -my-2 w-fit py-1 text-sm underline-offset-2 hover:underline"
      >
        All sources
      </Link>
      {isNotFound(error) && (
        <p className="text-sm leading-6">This source does not exist, or it was removed.</p>
      )}
      {!source && !error && <Loading>Loading the source…</Loading>}
      {source && !isNotFound(error) && <SourceView source={source} passage={passage} now={dataUpdatedAt} />}
      {error && !isNotFound(error) && <ErrorNotice error={error} retry={refetch} />}
    </PageBody>
  )
}

const isNotFound = (failure: unknown): boolean => hasErrorCode(failure, 'source_not_found', 'validation')

function SourceView({ source, passage, now }: { source: Source; passage: Passage; now: number }) {
  const { reflection } = useOpenReflection()
  const navigate = useNavigate()
  const facts = useSourceFacts(source)
  // On a phone the facts are above the text, and would push it down while somebody reads.
  const mayShowText = facts.items !== undefined || facts.error !== null
  return (
    <>
      <title>{`${escapeInvisible(source.title)} · ${reflection.displayName} · Parley`}</title>
      <ul aria-label="Source" className="border-line border-b">
        <SourceListItem
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

function useSourceFacts(source: Source): Pages<Fact> {
  const { client } = useConsoleHost()
  const { id: reflectionId } = useOpenReflection().reflection
  return usePages({
    key: [...getReflectionKey(reflectionId), 'facts', 'of', source.id, source.state],
    read: (page) => client.reflections.facts({ reflectionId, sourceId: source.id, state: 'active', ...page }),
  })
}

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
          const dates = formatFactDates(fact)
          return (
            <li key={id} className="py-2.5 text-sm leading-6 wrap-anywhere">
              {quote === undefined ? (
                escapeInvisible(statement)
              ) : (
                <SourceLink reflectionId={reflectionId} sourceId={source.id} words={quote}>
                  {escapeInvisible(statement)}
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

interface SourceTextProps {
  readonly source: Source
  readonly passage: Passage
}

function SourceTextView({ source, passage }: SourceTextProps) {
  const { start } = passage
  const search = useReflectionQuery(
    [...getTextKey(source), 'at', start],
    async (reflections, reflectionId) => {
      const words = start === undefined ? {} : { words: start }
      const range = { reflectionId, sourceId: source.id, limit: 1 }
      return (await reflections.sourceText({ ...range, ...words })).foundAt ?? null
    },
    { enabled: start !== undefined, retry: false },
  )
  if (start !== undefined && search.isPending) return <Loading>Searching for the passage…</Loading>
  return (
    <>
      {start !== undefined && search.data === null && (
        <p role="status" className="border-line border-s-2 ps-3 text-sm leading-6">
          This passage is no longer in the source: the source was replaced. This is its current text.
        </p>
      )}
      <Passages key={start} source={source} passage={passage} foundAt={search.data ?? undefined} />
    </>
  )
}

/** The query key of a source's text. Another state or number of passages means that the source was replaced. */
const getTextKey = ({ id, state, chunks }: Source) => ['text', id, state, chunks]

function Passages({ source, passage, foundAt }: SourceTextProps & { readonly foundAt: number | undefined }) {
  const { client } = useConsoleHost()
  const { id: reflectionId } = useOpenReflection().reflection
  const at = foundAt === undefined ? undefined : foundAt - 1
  const { count, itemAt, onShown, error, retry } = useWindowedList({
    key: [...getReflectionKey(reflectionId), ...getTextKey(source)],
    read: (from) => client.reflections.sourceText({ reflectionId, sourceId: source.id, ...from }),
    startAt: at,
  })
  const markRef = useKeepInView()
  const failure = <ErrorNotice error={error} retry={retry} />
  if (count === undefined) return error ? failure : <Loading>Loading the text…</Loading>
  if (count === 0) return <p className="text-soft text-sm leading-6">No text yet.</p>
  return (
    <>
      {failure}
      <VirtualList
        label={`Text of ${source.title}`}
        count={count}
        itemAt={itemAt}
        estimate={TYPICAL_HEIGHT}
        onShown={onShown}
        startAt={at}
        row={(item, index) => (
          <PassageView item={item} passage={index === at ? passage : {}} markRef={markRef} />
        )}
      />
    </>
  )
}

const TYPICAL_HEIGHT = 260

interface PassageViewProps {
  readonly item: SourcePassage
  readonly passage: Passage
  /** Set on the marked text. */
  readonly markRef: Ref<HTMLElement>
}

function PassageView({ item, passage, markRef }: PassageViewProps) {
  const where = formatSourcePlace(item.place)
  const [from, to] = findPassage(item.text, passage) ?? [0, 0]
  return (
    <div className="flex flex-col gap-1 py-4">
      {where !== '' && <p className="text-soft text-xs leading-5">{escapeInvisible(where)}</p>}
      <p className="max-w-prose leading-7 wrap-anywhere whitespace-pre-wrap">
        {escapeInvisible(item.text.slice(0, from))}
        {to > from && (
          <mark ref={markRef} className="bg-added text-ink rounded-sm px-0.5">
            {escapeInvisible(item.text.slice(from, to))}
          </mark>
        )}
        {escapeInvisible(item.text.slice(to))}
      </p>
    </div>
  )
}

/** Events by which a person scrolls the page. */
const SCROLL_EVENTS = ['wheel', 'touchmove', 'pointerdown', 'keydown'] as const

/** Keeps an element in the middle of its page while the content around it loads, until somebody scrolls. */
function useKeepInView(): (element: HTMLElement | null) => (() => void) | undefined {
  // Kept across renders: the list renders the element again when it comes back into view.
  const hasScrolled = useRef(false)
  return useCallback((element) => {
    const page = element?.closest<HTMLElement>('[data-scrolls]')
    if (!element || !page || hasScrolled.current) return undefined
    const show = () =>
      element.scrollIntoView({ block: element.offsetHeight > page.clientHeight ? 'start' : 'center' })
    const observer = new ResizeObserver(show)
    for (const each of listAncestors(page, element)) observer.observe(each)
    const stop = () => {
      observer.disconnect()
      page.removeEventListener('scroll', show)
      for (const event of SCROLL_EVENTS) window.removeEventListener(event, onScroll, true)
    }
    const onScroll = () => {
      hasScrolled.current = true
      stop()
    }
    // The list keeps scrolling towards its first row while it measures.
    page.addEventListener('scroll', show)
    for (const event of SCROLL_EVENTS)
      window.addEventListener(event, onScroll, { capture: true, passive: true })
    show()
    return stop
  }, [])
}

const listAncestors = (last: HTMLElement, { parentElement }: HTMLElement): readonly HTMLElement[] =>
  !parentElement || parentElement === last ? [last] : [parentElement, ...listAncestors(last, parentElement)]
