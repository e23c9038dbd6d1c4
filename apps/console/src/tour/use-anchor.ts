import { useEffect, useState } from 'react'
import type { TourStep } from './tour-steps.ts'

interface Anchor {
  readonly left: number
  readonly top: number
  readonly width: number
  readonly height: number
}

/** Where what a step tells of is to be seen; undefined while it is not. Pages load, scroll and change size. */
export function useAnchor({ anchor, href }: TourStep): Anchor | undefined {
  const [found, setFound] = useState<{ readonly of: string; readonly box: Anchor }>()
  const name = `${href} ${anchor}`
  useEffect(() => {
    let frame = 0
    let seen: Element | undefined
    const look = () => {
      const element = [...document.querySelectorAll(anchor)].find((one) => one.checkVisibility())
      if (element && element !== seen) element.scrollIntoView({ block: 'nearest' })
      seen = element
      const box = element?.getBoundingClientRect()
      setFound((before) => (box ? changed(before, name, box) : undefined))
      frame = requestAnimationFrame(look)
    }
    frame = requestAnimationFrame(look)
    return () => cancelAnimationFrame(frame)
  }, [anchor, name])
  return found?.of === name ? found.box : undefined
}

/** The same object where nothing moved, so that nothing is drawn anew. */
function changed(
  before: { readonly of: string; readonly box: Anchor } | undefined,
  of: string,
  { left, top, width, height }: Anchor,
) {
  const { box } = before ?? {}
  const isSame =
    before?.of === of && box?.left === left && box.top === top && box.width === width && box.height === height
  return isSame ? before : { of, box: { left, top, width, height } }
}
