import { type RefObject, useLayoutEffect } from 'react'

/** Whoever is at something when it goes finds themselves at the next thing, not nowhere. */
export function useFocusAfter(box: RefObject<HTMLElement | null>, focusNext: () => void): void {
  useLayoutEffect(() => {
    const element = box.current
    return () => {
      if (element?.contains(document.activeElement)) focusNext()
    }
  }, [box, focusNext])
}
