import { useEffect, useEffectEvent } from 'react'
import { isPaletteKey, singleKeyOf } from './shortcuts.ts'

/** What each key does, by its name; `palette` for the keys that open that. */
type KeyActions = Readonly<Record<string, () => unknown>> & { readonly palette: () => unknown }

/** Listens to the keys of the whole page. */
export function useShellKeys(actions: KeyActions): void {
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    const single = singleKeyOf(event)
    const action = isPaletteKey(event) ? actions.palette : single === undefined ? undefined : actions[single]
    if (!action) return
    event.preventDefault()
    action()
  })
  useEffect(() => {
    const listen = (event: KeyboardEvent) => onKey(event)
    window.addEventListener('keydown', listen)
    return () => window.removeEventListener('keydown', listen)
  }, [])
}
