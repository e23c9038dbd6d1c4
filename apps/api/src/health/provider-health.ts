import { ErrorCode, type ProviderHealth } from '@parley/contracts'
import type { StoredProvider } from '@parley/postgres'

/** A provider as it is configured. */
export interface KnownProvider {
  readonly name: string
  readonly kind: ProviderHealth['kind']
  /** What it lacks to be asked at all. */
  readonly missing?: string
  /** Whether it is a part of this program, and so never out of reach. */
  readonly isBuiltIn?: boolean
}

/** How a provider stands, from how it is set up and how it answered last. */
export function providerHealth(known: KnownProvider, stored: StoredProvider | undefined): ProviderHealth {
  const { name, kind, missing, isBuiltIn } = known
  if (missing !== undefined) {
    return { name, kind, state: 'not_set_up', code: 'config_invalid', problem: missing }
  }
  if (isBuiltIn)
    return { name, kind, state: 'working', ...(stored?.workedAt && { workedAt: stored.workedAt }) }
  if (!stored) return { name, kind, state: 'untried' }
  const { code, ...rest } = stored
  const ofLast = ErrorCode.safeParse(code)
  return {
    ...rest,
    name,
    kind,
    state: stored.failingSince === undefined ? 'working' : 'failing',
    ...(ofLast.success && { code: ofLast.data }),
  }
}
