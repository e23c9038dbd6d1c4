import { type RefObject, useEffectEvent, useLayoutEffect } from 'react'

/** Whoever is at something when it goes finds themselves at the next thing, not nowhere. */
export function useFocusAfter(box: RefObject<HTMLElement | null>, focusNext: () => void): void {
  const goOn = useEffectEvent(focusNext)
  useLayoutEffect(() => {
    const element = box.current
    return () => {
      if (element?.contains(document.activeElement)) goOn()
    }
  }, [box])
}
