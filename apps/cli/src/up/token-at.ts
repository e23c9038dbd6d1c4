import type { Config } from '../config.ts'
import { knownSecret, OWNER_TOKEN } from './kept-secret.ts'
import { patience } from './patience.ts'

/** The owner's token, if it is that of the server which runs. */
export async function tokenAt(url: string, config: Config): Promise<string | undefined> {
  const token = await knownSecret(OWNER_TOKEN, {
    home: config.home,
    set: config.ownerToken,
    onNotice: () => {},
  })
  if (token === undefined) return undefined
  const headers = { authorization: `Bearer ${token}` }
  const answer = await fetch(`${url}/v1/me`, { headers, signal: patience() }).catch(() => undefined)
  return answer?.ok ? token : undefined
}
