/** Keeps one secret per account. Either may reject: many machines have no keychain, or a locked one. */
export interface Keychain {
  readonly get: (account: string) => Promise<string | undefined>
  readonly set: (account: string, secret: string) => Promise<void>
}

export const KEYCHAIN_SERVICE = 'parley'

/** The operating system's. Loaded when it is asked, since most starts need not ask it. */
export const osKeychain: Keychain = {
  async get(account) {
    return (await (await entryOf(account)).getPassword()) ?? undefined
  },
  async set(account, secret) {
    await (await entryOf(account)).setPassword(secret)
  },
}

async function entryOf(account: string) {
  const { AsyncEntry } = await import('@napi-rs/keyring')
  // Left to choose, it falls back to the kernel's keyring, which forgets everything when the machine restarts.
  return new AsyncEntry(KEYCHAIN_SERVICE, account, { linux: { store: 'secret-service' } })
}
