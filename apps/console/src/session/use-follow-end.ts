import { useCallback, useEffect, useRef, useState } from 'react'

/** Where a box is scrolled to, in pixels. */
export interface Place {
  readonly top: number
  readonly toEnd: number
}

export interface Following {
  readonly follows: boolean
  /** Where the box was scrolled to when it was last looked at. */
  readonly top: number
}

/** Zoomed pages end at fractions of a pixel. */
const AT_END = 2
/** How near to the end, in pixels, who scrolls down is taken to want to be there. */
const NEAR = 48

/** The end is followed until somebody scrolls up, and again once they scroll down to it. Growth changes nothing. */
export function followFrom({ follows, top }: Following, now: Place): Following {
  if (now.toEnd <= AT_END) return { follows: true, top: now.top }
  if (now.top < top) return { follows: false, top: now.top }
  return { follows: follows || (now.top > top && now.toEnd < NEAR), top: now.top }
}

/** Keeps the end of a box in view while it grows. Whoever draws into it calls `keep` in a layout effect. */
export function useFollowEnd() {
  const box = useRef<HTMLDivElement>(null)
  const now = useRef<Following>({ follows: true, top: 0 })
  const [isFollowing, setFollowing] = useState(true)

  const look = useCallback(() => {
    const element = box.current
    if (!element) return
    const { scrollTop: top, scrollHeight, clientHeight } = element
    now.current = followFrom(now.current, { top, toEnd: scrollHeight - top - clientHeight })
    setFollowing(now.current.follows)
  }, [])
  const set = useCallback((follows: boolean) => {
    now.current = { follows, top: box.current?.scrollTop ?? 0 }
    setFollowing(follows)
  }, [])
  const follow = useCallback(() => {
    if (box.current) box.current.scrollTop = box.current.scrollHeight
    set(true)
  }, [set])
  const leave = useCallback(() => set(false), [set])
  /** The box was scrolled by the page, not by the reader. */
  const moved = useCallback(() => set(now.current.follows), [set])
  const keep = useCallback(() => {
    look()
    if (now.current.follows) follow()
  }, [look, follow])

  useEffect(() => {
    const element = box.current
    if (!element) return undefined
    // Who opens something wants to read it from its beginning. It is not open yet: drawn now, it would be at the end.
    const onClick = ({ target }: MouseEvent) => {
      if (target instanceof Element && target.closest('summary'))
        now.current = { ...now.current, follows: false }
    }
    const resized = new ResizeObserver(() => now.current.follows && follow())
    element.addEventListener('scroll', look, { passive: true })
    element.addEventListener('click', onClick)
    resized.observe(element)
    return () => {
      element.removeEventListener('scroll', look)
      element.removeEventListener('click', onClick)
      resized.disconnect()
    }
  }, [look, follow])

  return { box, isFollowing, follow, leave, moved, keep }
}
