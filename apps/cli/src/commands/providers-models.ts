import { PlatformError } from '@parley/contracts'
import type { ListedModel, Providers } from '@parley/llm'
import { meantProviders } from '../config/meant-providers.ts'
import { EXIT, EXIT_OF_ERROR, type ExitCode } from '../exit-code.ts'
import { jsonLine } from '../render/json-line.ts'
import { neutralise } from '../render/neutralise.ts'
import { tell } from '../render/tell.ts'
import type { CommandCall } from './command.ts'

const PATIENCE = 30_000

/** Lists models as `provider/model`, the way they are named elsewhere. A provider that fails keeps none of the others back. */
export async function listProviderModels(call: CommandCall): Promise<ExitCode> {
  const { io, json } = call
  const { names, providers } = await meantProviders(call)
  const signal = AbortSignal.timeout(PATIENCE)
  const listed = await Promise.all(names.map((name) => listOf(name, providers, signal)))
  const failures = listed.flatMap(({ name, failure }) => (failure ? [{ name, failure }] : []))
  const [first] = failures
  if (first && names.length === 1) throw first.failure

  const items = listed.flatMap(({ name, models }) => models.map((model) => ({ provider: name, ...model })))
  if (json) io.stdout.write(jsonLine({ items }))
  else for (const { provider, id } of items) io.stdout.write(`${neutralise(`${provider}/${id}`)}\n`)
  for (const { name, failure } of failures) tell(io.stderr, `parley: ${name}: ${failure.message}`)
  return first ? EXIT_OF_ERROR[first.failure.code] : EXIT.done
}

interface Listed {
  readonly name: string
  readonly models: readonly ListedModel[]
  readonly failure?: PlatformError
}

async function listOf(name: string, providers: Providers, signal: AbortSignal): Promise<Listed> {
  try {
    return { name, models: await providers.listModels(name, signal) }
  } catch (failure) {
    if (failure instanceof PlatformError) return { name, models: [], failure }
    throw failure
  }
}
