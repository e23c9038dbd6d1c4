import type { RefObject } from 'react'
import { getSingleKey } from '../shell/shortcuts.ts'
import { useWindowEvent } from './use-window-event.ts'

/** Arrow keys, and j and k from anywhere on the page, move through the rows of a list. */
export function useRowKeys(box: RefObject<HTMLElement | null>): void {
  useWindowEvent('keydown', (event) => {
    const rows = [...(box.current?.querySelectorAll<HTMLElement>('[data-row]') ?? [])]
    const at = rows.findIndex((row) => row === document.activeElement)
    const key =
      at >= 0 && event.key.startsWith('Arrow') && !isChorded(event) ? event.key : getSingleKey(event)
    const next = key === undefined ? undefined : rows[findNextRow(key, at, rows.length) ?? -1]
    if (!next) return
    event.preventDefault()
    next.focus()
  })
}

const isChorded = ({ ctrlKey, metaKey, altKey }: KeyboardEvent) => ctrlKey || metaKey || altKey

const STEPS: Readonly<Record<string, number>> = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 }

/** The row that a key moves to (`at` is -1 before the first); undefined for none. */
export function findNextRow(key: string, at: number, count: number): number | undefined {
  const step = STEPS[key]
  if (step === undefined || count === 0) return undefined
  if (at < 0) return step > 0 ? 0 : count - 1
  const next = at + step
  return next >= 0 && next < count ? next : undefined
}

/** False on a phone, where focusing a field opens a keyboard over half of the page. */
export const hasKeyboard = (): boolean => window.matchMedia('(pointer: fine)').matches
