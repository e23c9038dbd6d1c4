/** Named values that survive visits in this browser. */
export interface BrowserStorage {
  read(name: string): string | undefined
  /** `undefined` removes the value. */
  write(name: string, value: string | undefined): void
  /** Removes every name with this prefix. */
  forget(prefix: string): void
}

/** One person's values in a shared browser. */
export const createPersonStorage = (storage: BrowserStorage, personId: string): BrowserStorage => ({
  read: (name) => storage.read(`${personId}.${name}`),
  write: (name, value) => storage.write(`${personId}.${name}`, value),
  forget: (prefix) => storage.forget(`${personId}.${prefix}`),
})

type WebStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem' | 'key' | 'length'>

const PREFIX = 'parley.'

/** If the browser cannot store (private window, full disk), values last as long as the page. */
export function createBrowserStorage(openStorage: () => WebStorage): BrowserStorage {
  const onPage = new Map<string, string | undefined>()

  const tryStorage = <T>(use: (storage: WebStorage) => T): T | undefined => {
    try {
      return use(openStorage())
    } catch {
      return undefined
    }
  }

  return {
    read(name) {
      if (onPage.has(name)) return onPage.get(name)
      return tryStorage((storage) => storage.getItem(PREFIX + name) ?? undefined)
    },
    write(name, value) {
      const isStored = tryStorage((storage) => {
        if (value === undefined) storage.removeItem(PREFIX + name)
        else storage.setItem(PREFIX + name, value)
        return true
      })
      if (isStored) onPage.delete(name)
      else onPage.set(name, value)
    },
    forget(prefix) {
      for (const name of onPage.keys()) if (name.startsWith(prefix)) onPage.delete(name)
      tryStorage((storage) => {
        const names = Array.from({ length: storage.length }, (_, index) => storage.key(index) ?? '')
        for (const name of names) if (name.startsWith(PREFIX + prefix)) storage.removeItem(name)
      })
    },
  }
}
