import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Secret } from '@parley/engine'
import type { History } from '@parley/history'
import type { ProviderSettings } from '@parley/llm'
import type { Config } from '../config.ts'

interface KnownSecrets {
  /** All that must not be shown: every value that ever was kept, the keys of providers, and the data folder's own. */
  readonly secrets: () => readonly Secret[]
  /** Reads no more from the store, which may be closed then: what is logged afterwards is still masked. */
  readonly freeze: () => void
  /** What config may name: those that are kept now. */
  readonly secretOf: (name: string) => string | undefined
}

export async function knownSecrets(
  { secrets: store }: Pick<History, 'secrets'>,
  providers: readonly ProviderSettings[],
  { home, historyKey, ownerToken }: Pick<Config, 'home' | 'historyKey' | 'ownerToken'>,
): Promise<KnownSecrets> {
  const { secretFrom } = await import('@parley/history')
  const own = { PARLEY_HISTORY_KEY: historyKey, PARLEY_OWNER_TOKEN: ownerToken }
  const keys = [
    ...providers.map(({ apiKey, apiKeyName, name }) => [apiKeyName ?? name, apiKey] as const),
    ...Object.entries(own),
    ...(await ownFiles(home)),
  ].flatMap(([name, value]) => (value === undefined ? [] : [secretFrom(name, value)]))
  let known: readonly Secret[] = []
  let revision: number | undefined
  let isFrozen = false
  const secrets = () => {
    if (isFrozen) return known
    const latest = store.revision()
    if (latest !== revision) {
      known = [...keys, ...store.list().map(({ name, value }) => secretFrom(name, value))]
      revision = latest
    }
    return known
  }
  return {
    secrets,
    freeze() {
      secrets()
      isFrozen = true
    },
    secretOf: (wanted) => store.list().find(({ name, isRetired }) => name === wanted && !isRetired)?.value,
  }
}

/** File tools do not reach them; a program that a tool runs may. */
const OWN_FILES = [
  'history.key',
  'owner-token',
  'voice-key',
  'binding-secret',
  'tool-secret',
  'postgres/password',
]

/** A value a line, by the name of its file. */
async function ownFiles(home: string): Promise<readonly (readonly [name: string, value: string])[]> {
  const texts = await Promise.all(
    OWN_FILES.map(async (name) => [name, await readFile(join(home, name), 'utf8').catch(() => '')] as const),
  )
  return texts.flatMap(([name, text]) =>
    text.split(/\s+/).flatMap((value) => (value === '' ? [] : [[name, value] as const])),
  )
}
