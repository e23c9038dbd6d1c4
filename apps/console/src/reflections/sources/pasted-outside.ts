interface Pasted {
  readonly files: readonly File[]
  readonly text: string
}

type Paste = Pick<ClipboardEvent, 'clipboardData'> & { readonly target: EventTarget | null }

/** What was pasted, unless it was into a field or a dialog, which is for that one. */
export function pastedOutside({ clipboardData, target }: Paste): Pasted | undefined {
  if (!clipboardData) return undefined
  const isInField =
    target instanceof Element &&
    target.closest('input, textarea, select, [contenteditable], [role=dialog]') !== null
  if (isInField) return undefined
  return { files: [...clipboardData.files], text: clipboardData.getData('text/plain') }
}
