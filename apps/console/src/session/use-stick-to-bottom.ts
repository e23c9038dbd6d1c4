import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'

/** How near to the end, in pixels, still counts as being there. */
const NEAR = 48

/**
 * Keeps the end in view while entries are added there, as long as the reader is at the end. When earlier entries
 * come in above (the key of the first changes), what is in view stays in view.
 */
export function useStickToBottom(
  content: unknown,
  firstKey: number | undefined,
): { box: RefObject<HTMLDivElement | null>; atBottom: boolean; toBottom: () => void } {
  const box = useRef<HTMLDivElement>(null)
  const sticks = useRef(true)
  const drawn = useRef({ firstKey, height: 0 })
  const [atBottom, setAtBottom] = useState(true)

  const toBottom = useCallback(() => {
    sticks.current = true
    setAtBottom(true)
    if (box.current) box.current.scrollTop = box.current.scrollHeight
  }, [])

  useEffect(() => {
    const element = box.current
    if (!element) return undefined
    const onScroll = () => {
      sticks.current = element.scrollHeight - element.scrollTop - element.clientHeight < NEAR
      setAtBottom(sticks.current)
    }
    const resized = new ResizeObserver(() => {
      if (sticks.current) element.scrollTop = element.scrollHeight
    })
    element.addEventListener('scroll', onScroll, { passive: true })
    resized.observe(element)
    return () => {
      element.removeEventListener('scroll', onScroll)
      resized.disconnect()
    }
  }, [])

  useLayoutEffect(() => {
    const element = box.current
    if (!element) return
    const last = drawn.current
    const isAbove = last.firstKey !== undefined && firstKey !== undefined && firstKey < last.firstKey
    if (isAbove) element.scrollTop += element.scrollHeight - last.height
    else if (sticks.current) element.scrollTop = element.scrollHeight
    drawn.current = { firstKey, height: element.scrollHeight }
  }, [content, firstKey])

  return { box, atBottom, toBottom }
}
