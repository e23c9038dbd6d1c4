import { Link, Outlet, useLocation } from '@tanstack/react-router'
import { type RefObject, useEffect, useEffectEvent, useRef, useState } from 'react'
import type { Reflection, ReflectionId } from '@parley/contracts'
import { PageHeader } from '../shell/page-header.tsx'
import { Button } from '../ui/button.tsx'
import { CountMark } from '../ui/count-mark.tsx'
import { Icon } from '../ui/icon.tsx'
import { messageOf } from '../ui/message-of.ts'
import { Notice } from '../ui/notice.tsx'
import { PageBody } from '../ui/page-body.tsx'
import { PARTS_LOOK, PART_LOOK } from '../ui/parts-look.ts'
import { type OpenReflection, OpenReflectionContext } from './open-reflection.ts'
import { partAt, partsFor } from './parts.ts'
import { rightsOf } from './rights-of.ts'
import { type Giving, useGiving } from './sources/use-source-input.ts'
import { useUploads } from './sources/uploads.ts'
import { isUnknown, useReflection, useWaitingPatches } from './use-reflections.ts'

/** What all parts of a reflection share: its name, the way to the parts, and what they work with. */
export function ReflectionFrame({ reflectionId }: { reflectionId: ReflectionId }) {
  const { data: reflection, error, refetch } = useReflection(reflectionId)
  if (reflection) return <Frame reflection={reflection} />
  if (isUnknown(error)) return <UnknownReflection />
  return (
    <>
      <PageHeader title="Reflection" />
      <PageBody>
        {error ? (
          <Notice action={<Button onClick={() => void refetch()}>Try again</Button>}>
            {messageOf(error)}
          </Notice>
        ) : (
          <p className="animate-late text-soft text-sm">Loading the reflection…</p>
        )}
      </PageBody>
    </>
  )
}

const UnknownReflection = () => (
  <>
    <PageHeader title="No such reflection" />
    <PageBody>
      <p className="text-sm leading-6">
        There is no reflection here, or you are no member of it.{' '}
        <Link to="/reflections" className="text-accent underline">
          Go to the reflections
        </Link>
      </p>
    </PageBody>
  </>
)

function Frame({ reflection }: { reflection: Reflection }) {
  const rights = rightsOf(reflection.role)
  const waiting = useWaitingPatches(reflection.id)
  const uploads = useUploads(reflection.id)
  const giving = useGiving(reflection, uploads)
  const part = partAt(useLocation().pathname)
  return (
    <OpenReflectionContext value={{ reflection, rights, waiting, uploads, giving }}>
      {part !== undefined && <title>{`${part} · ${reflection.displayName} · Parley`}</title>}
      <PageHeader title={reflection.displayName}>
        {reflection.creatorName && reflection.creatorName !== reflection.displayName && (
          <p className="text-soft truncate text-sm">by {reflection.creatorName}</p>
        )}
      </PageHeader>
      <PartsBar open={{ reflection, rights, waiting }} />
      {rights.mayTeach && giving.namespace !== '' && <GiveAnywhere giving={giving} />}
      <Outlet />
    </OpenReflectionContext>
  )
}

/** The way to the parts of a reflection. On a phone they are wider than the screen: the one that is open is in sight. */
function PartsBar({ open }: { open: Pick<OpenReflection, 'reflection' | 'rights' | 'waiting'> }) {
  const { reflection, rights, waiting } = open
  const list = useRef<HTMLUListElement>(null)
  const { pathname } = useLocation()
  useEffect(() => {
    list.current
      ?.querySelector('[aria-current=page]')
      ?.scrollIntoView({ block: 'nearest', inline: 'center', behavior: 'instant' })
  }, [pathname])
  const hasMore = useMoreBeyond(list)
  return (
    <nav aria-label="Parts of the reflection" className={PARTS_LOOK}>
      <ul
        ref={list}
        data-more={hasMore || undefined}
        className="flex overflow-x-auto data-more:mask-r-from-[calc(100%-3rem)]"
      >
        {partsFor(rights).map(({ label, to }) => (
          <li key={label}>
            <Link
              to={to}
              params={{ reflectionId: reflection.id }}
              activeOptions={{ exact: label !== 'Runtime', includeSearch: false }}
              className={`${PART_LOOK} ${label === 'Patches' && rights.mayTeach ? 'relative pe-7 max-sm:pe-7' : ''}`}
            >
              {label === 'Talk' && <Icon name="microphone" />}
              {label}
              {label === 'Patches' && rights.mayTeach && <WaitingMark waiting={waiting} />}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  )
}

/** In room that is always there, so that no link moves when it comes. */
function WaitingMark({ waiting: { items, more } }: Pick<OpenReflection, 'waiting'>) {
  return (
    <span className="absolute start-full top-1 -ms-6.5 origin-left scale-80">
      <CountMark count={items?.length ?? 0} more={more !== undefined} says="waiting" />
    </span>
  )
}

/** Whether something of it is beyond its end, to be scrolled to. */
function useMoreBeyond(box: RefObject<HTMLElement | null>): boolean {
  const [hasMore, setMore] = useState(false)
  useEffect(() => {
    const element = box.current
    if (!element) return undefined
    const look = () => setMore(element.scrollWidth - element.clientWidth - element.scrollLeft > 1)
    const watch = new ResizeObserver(look)
    watch.observe(element)
    element.addEventListener('scroll', look, { passive: true })
    return () => {
      watch.disconnect()
      element.removeEventListener('scroll', look)
    }
  }, [box])
  return hasMore
}

/** Takes files that are dropped, and what is pasted outside of every field, wherever one is in a reflection. */
function GiveAnywhere({ giving }: { giving: Giving }) {
  const take = useEffectEvent((event: ClipboardEvent) => {
    const { files = [], text = '' } = pastedOutside(event) ?? {}
    if (files.length > 0) giving.files(files)
    else if (text.trim() !== '') giving.showPasted(text)
    else return
    event.preventDefault()
  })
  useEffect(() => {
    const onPaste = (event: ClipboardEvent) => take(event)
    window.addEventListener('paste', onPaste)
    return () => window.removeEventListener('paste', onPaste)
  }, [])
  return <DropZone namespace={giving.namespace} onFiles={giving.files} />
}

interface Pasted {
  readonly files: readonly File[]
  readonly text: string
}

type Paste = Pick<ClipboardEvent, 'clipboardData'> & { readonly target: EventTarget | null }

/** What was pasted, unless it was into a field or a dialog, which is for that one. */
export function pastedOutside({ clipboardData, target }: Paste): Pasted | undefined {
  if (!clipboardData) return undefined
  const isInField =
    target instanceof Element &&
    target.closest('input, textarea, select, [contenteditable], [role=dialog]') !== null
  if (isInField) return undefined
  return { files: [...clipboardData.files], text: clipboardData.getData('text/plain') }
}

interface DropZoneProps {
  readonly namespace: string
  readonly onFiles: (files: readonly File[]) => void
}

/** Takes files that are dropped anywhere on the page; otherwise the browser would leave the page for them. */
function DropZone({ namespace, onFiles }: DropZoneProps) {
  const [isOver, setOver] = useState(false)
  const take = useEffectEvent(onFiles)

  useEffect(() => {
    const onOver = (event: DragEvent) => {
      if (!event.dataTransfer?.types.includes('Files')) return
      event.preventDefault()
      setOver(true)
    }
    // The pointer goes from element to element; it has left the page where there is no next one.
    const onLeave = (event: DragEvent) => event.relatedTarget === null && setOver(false)
    const onDrop = (event: DragEvent) => {
      if (!event.dataTransfer?.types.includes('Files')) return
      event.preventDefault()
      setOver(false)
      take([...event.dataTransfer.files])
    }
    window.addEventListener('dragover', onOver)
    window.addEventListener('dragleave', onLeave)
    window.addEventListener('drop', onDrop)
    return () => {
      window.removeEventListener('dragover', onOver)
      window.removeEventListener('dragleave', onLeave)
      window.removeEventListener('drop', onDrop)
    }
  }, [])

  if (!isOver) return null
  return (
    <div className="bg-paper/90 border-accent pointer-events-none fixed inset-2 z-20 flex items-center justify-center rounded-lg border-2 border-dashed">
      <p className="font-serif text-xl">
        Drop to add to <span className="font-mono text-lg">{namespace}</span>
      </p>
    </div>
  )
}
