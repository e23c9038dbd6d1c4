import { hasKeyboard } from '../ui/keyboard.ts'

/** A page has at most one message box. */
export const MESSAGE_BOX = 'message'

export function focusMessageBox(): void {
  document.getElementById(MESSAGE_BOX)?.focus()
}

export function focusMessageBoxWithKeyboard(): void {
  if (hasKeyboard()) focusMessageBox()
}
