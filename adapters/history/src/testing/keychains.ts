import { readFile, rename, writeFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import type { Keychain } from '../index.ts'

/** A machine without a desktop. */
export const noKeychain: Keychain = {
  get: () => Promise.reject(new Error('no secret service')),
  set: () => Promise.reject(new Error('no secret service')),
}

export function createMemoryKeychain(entries = new Map<string, string>()): Keychain {
  return {
    get: async (account) => entries.get(account),
    set: async (account, secret) => void entries.set(account, secret),
  }
}

/** A keychain that answers late, so that others can act in between. */
export function createSlowKeychain({ get, set }: Keychain): Keychain {
  return {
    get: async (account) => {
      const found = await get(account)
      await delay(50)
      return found
    },
    set,
  }
}

/** A keychain in a file, for one account. It outlives its process and writes atomically. */
export const createFileKeychain = (path: string): Keychain => ({
  get: () => readFile(path, 'utf8').catch(() => undefined),
  set: async (_, secret) => {
    await writeFile(`${path}.draft`, secret)
    await rename(`${path}.draft`, path)
  },
})
