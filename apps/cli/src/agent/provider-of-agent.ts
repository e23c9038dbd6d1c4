import type { Agent } from '@parley/contracts'
import { isUsable, providerState } from '../config/provider-state.ts'
import type { ConfiguredProvider } from '../config/providers-of.ts'

/** Whether the provider that an agent names is to be had, in words. */
export function providerOfAgent({ provider }: Agent, providers: readonly ConfiguredProvider[]) {
  const found = providers.find(({ name }) => name === provider)
  if (!found) return { isReady: false, state: `no provider "${provider}"` }
  return isUsable(found) ? { isReady: true, state: 'ready' } : { isReady: false, state: providerState(found) }
}
