/** `npm run bench`: measures what docs/benchmarks.md describes. */
import { type BenchOptions, readOptions } from './options.ts'
import { formatJson, formatTable } from './report.ts'
import { runCases } from './run-cases.ts'

const EXIT = { done: 0, failed: 1, badInput: 2, cancelled: 4 } as const
type ExitCode = (typeof EXIT)[keyof typeof EXIT]

process.exitCode = await main(process.argv.slice(2))

async function main(argv: readonly string[]): Promise<ExitCode> {
  const wish = readOptions(argv)
  switch (wish.kind) {
    case 'run':
      return run(wish.options)
    case 'help':
      process.stdout.write(wish.text)
      return EXIT.done
    case 'wrong':
      printNote(wish.message)
      return EXIT.badInput
    default:
      return wish satisfies never
  }
}

async function run(options: BenchOptions): Promise<ExitCode> {
  const abort = new AbortController()
  // Also after repeated signals: an abrupt exit would leave a server running.
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(name, () => abort.abort())
  try {
    const result = await runCases(options, { tell: printNote, signal: abort.signal })
    process.stdout.write(options.json ? formatJson(result) : `\n${formatTable(result)}`)
    return EXIT.done
  } catch (error) {
    if (abort.signal.aborted) return EXIT.cancelled
    printNote(`bench: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`)
    return EXIT.failed
  }
}

function printNote(text: string): void {
  process.stderr.write(`${text}\n`)
}
