import { type RefObject, useEffectEvent, useLayoutEffect } from 'react'

/** Moves the focus to the next element when the focused one disappears. */
export function useFocusAfter(box: RefObject<HTMLElement | null>, focusNext: () => void): void {
  const moveFocus = useEffectEvent(focusNext)
  useLayoutEffect(() => {
    const element = box.current
    return () => {
      if (element?.contains(document.activeElement)) moveFocus()
    }
  }, [box])
}
