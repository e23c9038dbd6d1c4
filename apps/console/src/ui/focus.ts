import { type RefObject, useEffectEvent, useLayoutEffect } from 'react'
import { hasKeyboard } from './keyboard.ts'

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

export const focusPage = (): void => document.getElementById('main')?.focus()

/** Focuses the element if nothing else has the focus. */
export function focusIfLost(element: HTMLElement | null): void {
  const { activeElement } = document
  if (activeElement === null || activeElement === document.body) element?.focus()
}

/** A page has at most one message box. */
export const MESSAGE_BOX = 'message'

export function focusMessageBox(): void {
  document.getElementById(MESSAGE_BOX)?.focus()
}

export function focusMessageBoxWithKeyboard(): void {
  if (hasKeyboard()) focusMessageBox()
}
