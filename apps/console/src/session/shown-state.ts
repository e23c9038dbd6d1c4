/** What a page shows, and who is told when it changes. */
export function createShownState<T>(opening: T, showEveryMs: number) {
  const listeners = new Set<() => void>()
  let state = opening
  let showing: ReturnType<typeof setTimeout> | undefined

  const show = () => {
    clearTimeout(showing)
    showing = undefined
    for (const listener of listeners) listener()
  }

  return {
    get: () => state,
    set: (next: T) => {
      state = next
      show()
    },
    /** For changes that come in swarms: those that fall together are shown together. */
    setSoon: (next: T) => {
      state = next
      showing ??= setTimeout(show, showEveryMs)
    },
    subscribe: (listener: () => void) => {
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
      }
    },
  }
}
