import { parseArgs } from 'node:util'
import type { BenchCase } from './cases/bench-case.ts'
import { CASES } from './cases/table.ts'
import { STORE_NAMES, type StoreName } from './stores/place.ts'

export interface BenchOptions {
  readonly cases: readonly BenchCase[]
  readonly stores: readonly StoreName[]
  readonly rounds: number
  readonly json: boolean
}

export type ParsedOptions =
  | { readonly kind: 'run'; readonly options: BenchOptions }
  | { readonly kind: 'help'; readonly text: string }
  | { readonly kind: 'wrong'; readonly message: string }

const DEFAULT_ROUNDS = 7

export function readOptions(argv: readonly string[]): ParsedOptions {
  try {
    const { values } = parseArgs({ args: [...argv], options: OPTIONS })
    if (values.help) return { kind: 'help', text: HELP }
    const names = selectNames(
      'case',
      values.case,
      CASES.map(({ name }) => name),
    )
    const options = {
      cases: CASES.filter(({ name }) => names.includes(name)),
      stores: selectNames('store', values.store, STORE_NAMES),
      rounds: parseRounds(values.rounds),
      json: values.json ?? false,
    }
    return { kind: 'run', options }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    return { kind: 'wrong', message: `bench: ${message} Run \`npm run bench -- --help\` for the options.` }
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

  --case NAMES    only these cases, separated by commas
  --store NAMES   only these stores: ${STORE_NAMES.join(', ')}
  --rounds N      number of counted rounds (${DEFAULT_ROUNDS})
  --json          print only one JSON document
  --help          print this help

Cases:
${CASES.map(({ name, what }) => `  ${name.padEnd(10)}${what}`).join('\n')}

Exit codes: 0 measured, whether or not the targets were reached; 1 a measurement failed; 2 unknown option;
4 interrupted.

docs/benchmarks.md explains the rows.
`

function selectNames<Name extends string>(
  option: 'case' | 'store',
  given: readonly string[] | undefined,
  names: readonly Name[],
): readonly Name[] {
  if (given === undefined) return names
  const wanted = given.flatMap((text) => text.split(','))
  const unknown = wanted.find((name) => !names.some((known) => known === name))
  if (unknown === undefined) return names.filter((name) => wanted.includes(name))
  throw new Error(
    `Unknown ${option} "${unknown}". ${option === 'case' ? 'Cases' : 'Stores'}: ${names.join(', ')}.`,
  )
}

function parseRounds(given: string | undefined): number {
  if (given === undefined) return DEFAULT_ROUNDS
  if (/^[1-9]\d{0,3}$/.test(given)) return Number(given)
  throw new Error(`--rounds must be a number from 1 to 9999, not "${given}".`)
}
