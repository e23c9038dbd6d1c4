import { meantProviders } from '../config/meant-providers.ts'
import { EXIT, EXIT_OF_ERROR, type ExitCode } from '../exit-code.ts'
import { jsonLine } from '../render/json-line.ts'
import { tell } from '../render/tell.ts'
import type { CommandCall } from './command.ts'

const PATIENCE = 30_000

/** Asks providers for their models, and says whether that worked and how long it took. */
export async function testProviders(call: CommandCall): Promise<ExitCode> {
  const { io, json } = call
  const { names, providers } = await meantProviders(call)
  const signal = AbortSignal.timeout(PATIENCE)
  const results = await Promise.all(
    names.map(async (name) => ({ name, ...(await providers.test(name, signal)) })),
  )
  if (json) io.stdout.write(jsonLine({ items: results }))
  else for (const result of results) tell(io.stdout, describe(result))
  const failed = results.flatMap((result) => (result.kind === 'failed' ? [result.error.code] : []))[0]
  return failed === undefined ? EXIT.done : EXIT_OF_ERROR[failed]
}

type Tested = { readonly name: string } & Awaited<
  ReturnType<Awaited<ReturnType<typeof meantProviders>>['providers']['test']>
>

function describe(tested: Tested): string {
  const { name, latencyMs } = tested
  if (tested.kind === 'failed') return `${name}: failed after ${latencyMs} ms. ${tested.error.message}`
  const models = tested.modelCount === 1 ? '1 model' : `${tested.modelCount} models`
  return `${name}: works; ${models}, in ${latencyMs} ms`
}
