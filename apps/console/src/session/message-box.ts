import { type RefObject, useLayoutEffect } from 'react'
import { worksByKeys } from '../ui/works-by-keys.ts'

/** There is at most one place to write on a page. */
export const MESSAGE_BOX = 'message'

export function focusMessageBox(): void {
  document.getElementById(MESSAGE_BOX)?.focus()
}

export function focusMessageBoxByKeys(): void {
  if (worksByKeys()) focusMessageBox()
}

/** Whoever is at something when it goes finds themselves at the message box, not nowhere. */
export function useFocusAfter(box: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const element = box.current
    return () => {
      if (element?.contains(document.activeElement)) focusMessageBoxByKeys()
    }
  }, [box])
}
