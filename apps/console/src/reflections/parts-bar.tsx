import { Link, useLocation } from '@tanstack/react-router'
import { type RefObject, useEffect, useRef, useState } from 'react'
import { CountMark } from '../ui/count-mark.tsx'
import { Icon } from '../ui/icon.tsx'
import { PART_LOOK, PARTS_LOOK } from '../ui/parts-look.ts'
import type { OpenReflection } from './open-reflection.ts'
import { partsFor } from './parts.ts'

/** The way to the parts of a reflection. On a phone they are wider than the screen: the one that is open is in sight. */
export function PartsBar({ open }: { open: Pick<OpenReflection, 'reflection' | 'rights' | 'waiting'> }) {
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
