import type { Secret } from '@parley/engine'
import type { History } from '@parley/history'
import type { ProviderSettings } from '@parley/llm'

interface KnownSecrets {
  /** All that must not be shown: every value that ever was kept, and the keys of providers. */
  readonly secrets: () => readonly Secret[]
  /** What config may name: those that are kept now. */
  readonly secretOf: (name: string) => string | undefined
}

/** How long what was read counts; another process may change it. */
const FRESH_MS = 1_000

export async function knownSecrets(
  { secrets: store }: Pick<History, 'secrets'>,
  providers: readonly ProviderSettings[],
): Promise<KnownSecrets> {
  const { secretFrom } = await import('@parley/history')
  const keys = providers.flatMap(({ apiKey, apiKeyName, name }) =>
    apiKey === undefined ? [] : [secretFrom(apiKeyName ?? name, apiKey)],
  )
  let known: readonly Secret[] = []
  let readAt = -Infinity
  return {
    secrets() {
      const now = performance.now()
      if (now - readAt > FRESH_MS) {
        known = [...keys, ...store.list().map(({ name, value }) => secretFrom(name, value))]
        readAt = now
      }
      return known
    },
    secretOf: (wanted) => store.list().find(({ name, isRetired }) => name === wanted && !isRetired)?.value,
  }
}
