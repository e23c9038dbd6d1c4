import { knownOwnerToken } from '@parley/api'
import type { Config } from '../config.ts'

/** The owner's token, if it is that of the server which runs. */
export async function tokenAt(url: string, config: Config): Promise<string | undefined> {
  const token = await knownOwnerToken(config.home, config.ownerToken, () => {})
  if (token === undefined) return undefined
  const headers = { authorization: `Bearer ${token}` }
  const signal = AbortSignal.timeout(3_000)
  const answer = await fetch(`${url}/v1/me`, { headers, signal }).catch(() => undefined)
  return answer?.ok ? token : undefined
}
