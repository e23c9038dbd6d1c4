import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../config.ts'
import { OWNER_TOKEN } from './kept-secret.ts'
import { patience } from './patience.ts'

/** The owner's token, if it is that of the server which runs. */
export async function tokenAt(url: string, { home, ownerToken }: Config): Promise<string | undefined> {
  const token = ownerToken ?? (await keptToken(home))
  if (token === undefined) return undefined
  const headers = { authorization: `Bearer ${token}` }
  const answer = await fetch(`${url}/v1/me`, { headers, signal: patience() }).catch(() => undefined)
  return answer?.ok ? token : undefined
}

const keptToken = async (home: string): Promise<string | undefined> =>
  (await readFile(join(home, OWNER_TOKEN.file), 'utf8').catch(() => undefined))?.trim()
