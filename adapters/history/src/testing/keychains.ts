import { readFile, rename, writeFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import type { Keychain } from '../index.ts'

/** As on a machine without a desktop. */
export const noKeychain: Keychain = {
  get: () => Promise.reject(new Error('no secret service')),
  set: () => Promise.reject(new Error('no secret service')),
}

export function memoryKeychain(kept = new Map<string, string>()): Keychain {
  return {
    get: async (account) => kept.get(account),
    set: async (account, secret) => void kept.set(account, secret),
  }
}

/** Others can come in between what it is asked and what it answers. */
export function slowKeychain({ get, set }: Keychain): Keychain {
  return {
    get: async (account) => {
      const found = await get(account)
      await delay(50)
      return found
    },
    set,
  }
}

/** One for a single account that outlives its process, and keeps all of a secret or nothing. */
export const fileKeychain = (path: string): Keychain => ({
  get: () => readFile(path, 'utf8').catch(() => undefined),
  set: async (_, secret) => {
    await writeFile(`${path}.draft`, secret)
    await rename(`${path}.draft`, path)
  },
})
