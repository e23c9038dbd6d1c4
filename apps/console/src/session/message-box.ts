import { worksByKeys } from '../ui/works-by-keys.ts'

/** There is at most one place to write on a page. */
export const MESSAGE_BOX = 'message'

export function focusMessageBox(): void {
  document.getElementById(MESSAGE_BOX)?.focus()
}

export function focusMessageBoxByKeys(): void {
  if (worksByKeys()) focusMessageBox()
}
