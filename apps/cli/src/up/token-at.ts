import type { Config } from '../config.ts'
import { knownSecret, OWNER_TOKEN } from './kept-secret.ts'

/** The owner's token, if it is that of the server which runs. */
export async function tokenAt(url: string, config: Config): Promise<string | undefined> {
  const token = await knownSecret(OWNER_TOKEN, {
    home: config.home,
    set: config.ownerToken,
    onNotice: () => {},
  })
  if (token === undefined) return undefined
  const headers = { authorization: `Bearer ${token}` }
  const signal = AbortSignal.timeout(3_000)
  const answer = await fetch(`${url}/v1/me`, { headers, signal }).catch(() => undefined)
  return answer?.ok ? token : undefined
}
