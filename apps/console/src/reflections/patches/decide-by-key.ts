import type { KeyboardEvent } from 'react'
import { singleKeyOf } from '../../shell/shortcuts.ts'

/** Keys of a patch that waits: `a` and `r` press its own buttons, `j` and `k` go to the next and the one before. */
export function decideByKey(event: KeyboardEvent<HTMLElement>): void {
  const patch = event.currentTarget
  const actions: Readonly<Record<string, () => unknown>> = {
    a: () => patch.querySelector<HTMLElement>('[data-says="approve"]')?.click(),
    r: () => patch.querySelector<HTMLElement>('[data-says="reject"]')?.click(),
    j: () => focusOn(patch.nextElementSibling),
    k: () => focusOn(patch.previousElementSibling),
  }
  const action = actions[singleKeyOf(event.nativeEvent) ?? '']
  if (!action) return
  event.preventDefault()
  action()
}

const focusOn = (element: Element | null) => element instanceof HTMLElement && element.focus()
