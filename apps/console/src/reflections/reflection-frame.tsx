import { Link, Outlet, useLocation, getRouteApi } from '@tanstack/react-router'
import { type RefObject, useEffect, useRef, useState } from 'react'
import type { Reflection, ReflectionId } from '@parley/contracts'
import { PageHeader, PageTitle } from '../shell/page.tsx'
import { CountMark } from '../ui/count-mark.tsx'
import { Icon } from '../ui/icon.tsx'
import { PageBody } from '../ui/page-body.tsx'
import { TAB, TAB_ROW } from '../ui/tabs.ts'
import { useWindowEvent } from '../ui/use-window-event.ts'
import { type OpenReflection, OpenReflectionContext } from './open-reflection.ts'
import { toRights } from '../app/roles.ts'
import { type SourceInput, useSourceInput } from './sources/use-source-input.ts'
import { useUploads } from './sources/uploads.ts'
import { isNotFound, useReflection, useWaitingPatches } from './use-reflections.ts'
import { QueryState } from '../ui/query-state.tsx'
import { usePageLinks } from '../app/page-record.ts'

const route = getRouteApi('/reflections/$reflectionId')

/** The frame around every page of a reflection: its name, the links to its pages, and their shared state. */
export function ReflectionFrame() {
  const { reflectionId } = route.useParams()
  const query = useReflection(reflectionId as ReflectionId)
  if (query.data) return <OpenReflectionFrame reflection={query.data} />
  if (isNotFound(query.error)) return <ReflectionNotFound />
  return (
    <>
      <PageHeader title="Reflection" />
      <PageBody>
        <QueryState query={query} loadingText="Loading the reflection…" />
      </PageBody>
    </>
  )
}

const ReflectionNotFound = () => (
  <>
    <PageHeader title="Reflection not found" />
    <PageBody>
      <p className="text-sm leading-6">
        This reflection does not exist, or you are not a member.{' '}
        <Link to="/reflections" className="text-accent underline">
          All reflections
        </Link>
      </p>
    </PageBody>
  </>
)

function OpenReflectionFrame({ reflection }: { reflection: Reflection }) {
  const rights = toRights(reflection.role)
  const waiting = useWaitingPatches(reflection.id)
  const uploads = useUploads(reflection.id)
  const sourceInput = useSourceInput(reflection, uploads)
  return (
    <OpenReflectionContext value={{ reflection, rights, waiting, uploads, sourceInput }}>
      <PageTitle frame={reflection.displayName} />
      <PageHeader title={reflection.displayName}>
        {reflection.creatorName && reflection.creatorName !== reflection.displayName && (
          <p className="text-soft truncate text-sm">by {reflection.creatorName}</p>
        )}
      </PageHeader>
      <Tabs open={{ reflection, rights, waiting }} />
      {rights.mayTeach && sourceInput.namespace !== '' && <AddAnywhere sourceInput={sourceInput} />}
      <Outlet />
    </OpenReflectionContext>
  )
}

/** Links to the pages of a reflection. On a phone the row is wider than the screen, so it scrolls to the open page. */
function Tabs({ open }: { open: Pick<OpenReflection, 'reflection' | 'rights' | 'waiting'> }) {
  const { reflection, rights, waiting } = open
  const list = useRef<HTMLUListElement>(null)
  const { pathname } = useLocation()
  useEffect(() => {
    list.current
      ?.querySelector('[aria-current=page]')
      ?.scrollIntoView({ block: 'nearest', inline: 'center', behavior: 'instant' })
  }, [pathname])
  const hasMore = useHasOverflow(list)
  return (
    <nav aria-label="Parts of the reflection" className={TAB_ROW}>
      <ul
        ref={list}
        data-more={hasMore || undefined}
        className="flex overflow-x-auto data-more:mask-r-from-[calc(100%-3rem)]"
      >
        {usePageLinks('reflection', rights.role).map(({ label, to, icon, hasSubpages = false }) => {
          const hasCount = rights.mayTeach && to.endsWith('/patches')
          return (
            <li key={to}>
              <Link
                to={to}
                params={{ reflectionId: reflection.id }}
                activeOptions={{ exact: !hasSubpages, includeSearch: false }}
                className={`${TAB} ${hasCount ? 'relative pe-7 max-sm:pe-7' : ''}`}
              >
                {icon && <Icon name={icon} />}
                {label}
                {hasCount && <WaitingMark waiting={waiting} />}
              </Link>
            </li>
          )
        })}
      </ul>
    </nav>
  )
}

/** Its space is reserved, so no link moves when the count appears. */
function WaitingMark({ waiting: { items, loadMore } }: Pick<OpenReflection, 'waiting'>) {
  return (
    <span className="absolute start-full top-1 -ms-6.5 origin-left scale-80">
      <CountMark count={items?.length ?? 0} more={loadMore !== undefined} label="waiting" />
    </span>
  )
}

/** Whether the element can scroll further. */
function useHasOverflow(box: RefObject<HTMLElement | null>): boolean {
  const [hasMore, setMore] = useState(false)
  useEffect(() => {
    const element = box.current
    if (!element) return undefined
    const update = () => setMore(element.scrollWidth - element.clientWidth - element.scrollLeft > 1)
    const observer = new ResizeObserver(update)
    observer.observe(element)
    element.addEventListener('scroll', update, { passive: true })
    return () => {
      observer.disconnect()
      element.removeEventListener('scroll', update)
    }
  }, [box])
  return hasMore
}

/** Accepts dropped files, and anything pasted outside a field, on every page of a reflection. */
function AddAnywhere({ sourceInput }: { sourceInput: SourceInput }) {
  useWindowEvent('paste', (event) => {
    const { files = [], text = '' } = readPaste(event) ?? {}
    if (files.length > 0) sourceInput.addFiles(files)
    else if (text.trim() !== '') sourceInput.showPasted(text)
    else return
    event.preventDefault()
  })
  return <DropZone namespace={sourceInput.namespace} onFiles={sourceInput.addFiles} />
}

interface PastedContent {
  readonly files: readonly File[]
  readonly text: string
}

type PasteEvent = Pick<ClipboardEvent, 'clipboardData'> & { readonly target: EventTarget | null }

/** The pasted content; undefined if it was pasted into a field or a dialog. */
export function readPaste({ clipboardData, target }: PasteEvent): PastedContent | undefined {
  if (!clipboardData) return undefined
  const isInField =
    target instanceof Element &&
    target.closest('input, textarea, select, [contenteditable], [role=dialog]') !== null
  if (isInField) return undefined
  return { files: [...clipboardData.files], text: clipboardData.getData('text/plain') }
}

/** Accepts files dropped anywhere on the page; by default the browser would open them instead. */
function DropZone({ namespace, onFiles }: { namespace: string; onFiles: (files: readonly File[]) => void }) {
  const [isOver, setOver] = useState(false)
  useWindowEvent('dragover', (event) => {
    if (!event.dataTransfer?.types.includes('Files')) return
    event.preventDefault()
    setOver(true)
  })
  // Leaving an element for another one also fires this; only outside the page there is no related target.
  useWindowEvent('dragleave', ({ relatedTarget }) => relatedTarget === null && setOver(false))
  useWindowEvent('drop', (event) => {
    if (!event.dataTransfer?.types.includes('Files')) return
    event.preventDefault()
    setOver(false)
    onFiles([...event.dataTransfer.files])
  })
  if (!isOver) return null
  return (
    <div className="bg-paper/90 border-accent pointer-events-none fixed inset-2 z-20 flex items-center justify-center rounded-lg border-2 border-dashed">
      <p className="font-serif text-xl">
        Drop to add to <span className="font-mono text-lg">{namespace}</span>
      </p>
    </div>
  )
}
