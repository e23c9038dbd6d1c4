/** The keys that do something, in the order in which people are told of them. */
export const SHORTCUTS = [
  { keys: ['Enter'], does: 'Send the message' },
  { keys: ['Shift', 'Enter'], does: 'New line in the message' },
  { keys: ['Esc'], does: 'Stop the answer' },
  { keys: ['m'], does: 'Write a message' },
  { keys: ['/'], does: 'Search sessions' },
  { keys: ['n'], does: 'New session' },
  { keys: ['?'], does: 'Show these shortcuts' },
] as const

type Pressed = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'isComposing'> & {
  readonly target: EventTarget | null
}

/** The single key that was pressed outside of every field, else undefined. */
export function singleKeyOf({
  key,
  ctrlKey,
  metaKey,
  altKey,
  isComposing,
  target,
}: Pressed): string | undefined {
  if (ctrlKey || metaKey || altKey || isComposing || key.length !== 1) return undefined
  const inField =
    target instanceof Element && target.closest('input, textarea, select, [contenteditable], [role=dialog]')
  return inField ? undefined : key
}
