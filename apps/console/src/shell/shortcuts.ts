export const SHORTCUTS = [
  { keys: [isApple() ? '⌘' : 'Ctrl', 'K'], label: 'Find anything' },
  { keys: ['Enter'], label: 'Send the message' },
  { keys: ['Shift', 'Enter'], label: 'New line in the message' },
  { keys: ['Esc'], label: 'Stop the answer' },
  { keys: ['m'], label: 'Write a message' },
  { keys: ['/'], label: 'Search sessions' },
  { keys: ['n'], label: 'New session' },
  { keys: ['j', 'k'], label: 'Next and previous in a list' },
  { keys: ['?'], label: 'Show these shortcuts' },
] as const

/** On Apple devices the command key replaces the control key. */
function isApple(): boolean {
  return typeof navigator !== 'undefined' && /Mac|iPhone|iPad/.test(navigator.userAgent)
}

export const isPaletteKey = ({
  key,
  ctrlKey,
  metaKey,
  altKey,
  shiftKey,
}: Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'>): boolean =>
  key.toLowerCase() === 'k' && ctrlKey !== metaKey && !altKey && !shiftKey

type Pressed = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'isComposing'> & {
  readonly target: EventTarget | null
}

/** The key that was pressed outside of every field, otherwise undefined. */
export function getSingleKey({
  key,
  ctrlKey,
  metaKey,
  altKey,
  isComposing,
  target,
}: Pressed): string | undefined {
  if (ctrlKey || metaKey || altKey || isComposing || key.length !== 1) return undefined
  return target instanceof Element && target.closest(TAKES_KEYS) ? undefined : key
}

/** Fields and modal dialogs. */
const TAKES_KEYS = 'input, textarea, select, [contenteditable], [role=dialog]:not([aria-modal=false])'
