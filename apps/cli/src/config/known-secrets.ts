import type { Secret } from '@parley/engine'
import type { History } from '@parley/history'
import type { ProviderSettings } from '@parley/llm'
import type { Config } from '../config.ts'

interface KnownSecrets {
  /** All that must not be shown: every value that ever was kept, and the keys of providers. */
  readonly secrets: () => readonly Secret[]
  /** What config may name: those that are kept now. */
  readonly secretOf: (name: string) => string | undefined
}

export async function knownSecrets(
  { secrets: store }: Pick<History, 'secrets'>,
  providers: readonly ProviderSettings[],
  { historyKey, ownerToken }: Pick<Config, 'historyKey' | 'ownerToken'>,
): Promise<KnownSecrets> {
  const { secretFrom } = await import('@parley/history')
  const own = { PARLEY_HISTORY_KEY: historyKey, PARLEY_OWNER_TOKEN: ownerToken }
  const keys = [
    ...providers.map(({ apiKey, apiKeyName, name }) => [apiKeyName ?? name, apiKey] as const),
    ...Object.entries(own),
  ].flatMap(([name, value]) => (value === undefined ? [] : [secretFrom(name, value)]))
  let known: readonly Secret[] = []
  let revision: number | undefined
  return {
    secrets() {
      const latest = store.revision()
      if (latest !== revision) {
        known = [...keys, ...store.list().map(({ name, value }) => secretFrom(name, value))]
        revision = latest
      }
      return known
    },
    secretOf: (wanted) => store.list().find(({ name, isRetired }) => name === wanted && !isRetired)?.value,
  }
}
