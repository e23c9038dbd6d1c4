import { PlatformError } from '@parley/contracts'
import type { Models } from '../compose.ts'
import { isUsable, providerState } from '../config/provider-state.ts'
import type { ConfiguredProvider } from '../config/providers-of.ts'
import type { ModelChoice } from './slash-host.ts'

/** Nobody waits at a prompt for longer. */
const LONGEST_MS = 5_000
const MOST_OF_ONE = 30

/** The models that can be gone on with: what each provider says that it has, and what the config knows of. */
export async function listChoices(
  providers: readonly ConfiguredProvider[],
  models: Pick<Models, 'listModels'>,
  inUse: string,
): Promise<readonly ModelChoice[]> {
  const signal = AbortSignal.timeout(LONGEST_MS)
  const listed = await Promise.all(providers.map((provider) => choicesOf(provider, models, inUse, signal)))
  const choices = listed.flat()
  return choices.some((choice) => choice.inUse) ? choices : [{ name: inUse, inUse: true }, ...choices]
}

async function choicesOf(
  provider: ConfiguredProvider,
  { listModels }: Pick<Models, 'listModels'>,
  inUse: string,
  signal: AbortSignal,
): Promise<readonly ModelChoice[]> {
  const { name } = provider
  if (!isUsable(provider)) return [{ name, inUse: false, note: providerState(provider) }]
  const known = Object.keys(provider.models ?? {})
  const asChoice = (id: string): ModelChoice => ({ name: `${name}/${id}`, inUse: `${name}/${id}` === inUse })
  try {
    const listed = (await listModels(name, signal)).map(({ id }) => id)
    const all = [...new Set([...known, ...listed])]
    const shown = all.filter((id, index) => index < MOST_OF_ONE || `${name}/${id}` === inUse)
    const left = all.length - shown.length
    const more = {
      name,
      inUse: false,
      note: `and ${left} more; \`parley providers models ${name}\` lists them`,
    }
    return [...shown.map(asChoice), ...(left > 0 ? [more] : [])]
  } catch (failure) {
    if (!(failure instanceof PlatformError)) throw failure
    return [...known.map(asChoice), { name, inUse: false, note: failure.message }]
  }
}
