import { type RefObject, useEffect } from 'react'
import { singleKeyOf } from '../shell/shortcuts.ts'
import { rowAfter } from './row-after.ts'

/** Arrows, and j and k from anywhere on the page, go from row to row of a list; Enter opens the link that has the focus. */
export function useRowKeys(box: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const rows = [...(box.current?.querySelectorAll<HTMLElement>('[data-row]') ?? [])]
      const at = rows.findIndex((row) => row === document.activeElement)
      const key =
        at >= 0 && event.key.startsWith('Arrow') && !isChorded(event) ? event.key : singleKeyOf(event)
      const next = key === undefined ? undefined : rows[rowAfter(key, at, rows.length) ?? -1]
      if (!next) return
      event.preventDefault()
      next.focus()
    }
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [box])
}

const isChorded = ({ ctrlKey, metaKey, altKey }: KeyboardEvent) => ctrlKey || metaKey || altKey
