import { useCallback, useEffect, useRef, useState } from 'react'

/** Keeps the end of a growing box in view. Call `keep` in a layout effect. */
export function useFollowEnd() {
  const box = useRef<HTMLDivElement>(null)
  const following = useRef<Following>({ follows: true, top: 0 })
  const [isFollowing, setFollowing] = useState(true)

  const measure = useCallback(() => {
    const element = box.current
    if (!element) return
    const { scrollTop: top, scrollHeight, clientHeight } = element
    following.current = updateFollowing(following.current, { top, toEnd: scrollHeight - top - clientHeight })
    setFollowing(following.current.follows)
  }, [])
  const set = useCallback((follows: boolean) => {
    following.current = { follows, top: box.current?.scrollTop ?? 0 }
    setFollowing(follows)
  }, [])
  const follow = useCallback(() => {
    if (box.current) box.current.scrollTop = box.current.scrollHeight
    set(true)
  }, [set])
  const stopFollowing = useCallback(() => set(false), [set])
  /** Notes that the page scrolled the box, not the reader. */
  const moved = useCallback(() => set(following.current.follows), [set])
  const keep = useCallback(() => {
    measure()
    if (following.current.follows) follow()
  }, [measure, follow])

  useEffect(() => {
    const element = box.current
    if (!element) return undefined
    // A reader who opens details wants to see their start, not the end of the box.
    const onClick = ({ target }: MouseEvent) => {
      if (target instanceof Element && target.closest('summary'))
        following.current = { ...following.current, follows: false }
    }
    const resized = new ResizeObserver(() => following.current.follows && follow())
    element.addEventListener('scroll', measure, { passive: true })
    element.addEventListener('click', onClick)
    resized.observe(element)
    return () => {
      element.removeEventListener('scroll', measure)
      element.removeEventListener('click', onClick)
      resized.disconnect()
    }
  }, [measure, follow])

  return { box, isFollowing, follow, stopFollowing, moved, keep }
}

/** A scroll position, in pixels. */
export interface ScrollPosition {
  readonly top: number
  readonly toEnd: number
}

export interface Following {
  readonly follows: boolean
  /** The last known scroll position. */
  readonly top: number
}

/** Zoomed pages have fractional pixels. */
const AT_END = 2
/** Scrolling down within this many pixels of the end counts as reaching it. */
const NEAR = 48

/** Follows the end until the reader scrolls up, and again once they scroll back down. Growth changes nothing. */
export function updateFollowing({ follows, top }: Following, now: ScrollPosition): Following {
  if (now.toEnd <= AT_END) return { follows: true, top: now.top }
  if (now.top < top) return { follows: false, top: now.top }
  return { follows: follows || (now.top > top && now.toEnd < NEAR), top: now.top }
}
