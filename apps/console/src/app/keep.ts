/** What stays in this browser from visit to visit, by name. */
export interface Keep {
  read(name: string): string | undefined
  /** Nothing is left under the name where the value is undefined. */
  write(name: string, value: string | undefined): void
  /** Forgets every name that starts so. */
  forget(prefix: string): void
}

/** What is one person's own in a browser that others use too. */
export const keepOf = (keep: Keep, personId: string): Keep => ({
  read: (name) => keep.read(`${personId}.${name}`),
  write: (name, value) => keep.write(`${personId}.${name}`, value),
  forget: (prefix) => keep.forget(`${personId}.${prefix}`),
})

type Shelf = Pick<Storage, 'getItem' | 'setItem' | 'removeItem' | 'key' | 'length'>

const PREFIX = 'parley.'

/** Where the browser keeps nothing (a private window, a full disk), things last as long as the page does. */
export function createKeep(openShelf: () => Shelf): Keep {
  const onPage = new Map<string, string | undefined>()

  const onShelf = <T>(use: (shelf: Shelf) => T): T | undefined => {
    try {
      return use(openShelf())
    } catch {
      return undefined
    }
  }

  return {
    read(name) {
      if (onPage.has(name)) return onPage.get(name)
      return onShelf((shelf) => shelf.getItem(PREFIX + name) ?? undefined)
    },
    write(name, value) {
      const kept = onShelf((shelf) => {
        if (value === undefined) shelf.removeItem(PREFIX + name)
        else shelf.setItem(PREFIX + name, value)
        return true
      })
      if (kept) onPage.delete(name)
      else onPage.set(name, value)
    },
    forget(prefix) {
      for (const name of onPage.keys()) if (name.startsWith(prefix)) onPage.delete(name)
      onShelf((shelf) => {
        const names = Array.from({ length: shelf.length }, (_, index) => shelf.key(index) ?? '')
        for (const name of names) if (name.startsWith(PREFIX + prefix)) shelf.removeItem(name)
      })
    },
  }
}
