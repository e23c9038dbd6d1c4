import { parseArgs } from 'node:util'
import type { BenchCase } from './cases/bench-case.ts'
import { CASES } from './cases/table.ts'
import { STORE_NAMES, type StoreName } from './stores/place.ts'

export interface Options {
  readonly cases: readonly BenchCase[]
  readonly stores: readonly StoreName[]
  readonly rounds: number
  readonly json: boolean
}

export type Wish =
  | { readonly kind: 'run'; readonly options: Options }
  | { readonly kind: 'help'; readonly text: string }
  | { readonly kind: 'wrong'; readonly message: string }

const DEFAULT_ROUNDS = 7

export function readOptions(argv: readonly string[]): Wish {
  try {
    const { values } = parseArgs({ args: [...argv], options: OPTIONS })
    if (values.help) return { kind: 'help', text: HELP }
    const names = chosen(
      'case',
      values.case,
      CASES.map(({ name }) => name),
    )
    const options = {
      cases: CASES.filter(({ name }) => names.includes(name)),
      stores: chosen('store', values.store, STORE_NAMES),
      rounds: roundsOf(values.rounds),
      json: values.json ?? false,
    }
    return { kind: 'run', options }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    return { kind: 'wrong', message: `bench: ${message} \`npm run bench -- --help\` tells what there is.` }
  }
}

const OPTIONS = {
  case: { type: 'string', multiple: true },
  store: { type: 'string', multiple: true },
  rounds: { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const

const HELP = `Measures Parley against its floor: a bare loop with the same durable writes.

  npm run bench -- [options]

  --case NAMES    only these, with commas between them
  --store NAMES   only on these stores: ${STORE_NAMES.join(', ')}
  --rounds N      how many rounds of each are counted (${DEFAULT_ROUNDS})
  --json          one JSON document and nothing else
  --help          this text

Cases:
${CASES.map(({ name, what }) => `  ${name.padEnd(10)}${what}`).join('\n')}

It ends with 0 when all was measured, whether or not a target was reached; with 1 when something could
not be measured, 2 when an option is not understood, 4 when it was stopped.

docs/benchmarks.md says what the rows mean.
`

function chosen<Name extends string>(
  option: string,
  given: readonly string[] | undefined,
  names: readonly Name[],
): readonly Name[] {
  if (given === undefined) return names
  const wanted = given.flatMap((text) => text.split(','))
  const unknown = wanted.find((name) => !names.some((known) => known === name))
  if (unknown === undefined) return names.filter((name) => wanted.includes(name))
  throw new Error(`There is no ${option} "${unknown}"; there is ${names.join(', ')}.`)
}

function roundsOf(given: string | undefined): number {
  if (given === undefined) return DEFAULT_ROUNDS
  if (/^[1-9]\d{0,3}$/.test(given)) return Number(given)
  throw new Error(`--rounds is a number from 1 to 9999, not "${given}".`)
}
