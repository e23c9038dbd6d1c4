import { writeFile } from 'node:fs/promises'
import { type AgentTestReport, PlatformError, Surface } from '@parley/contracts'
import { z } from 'zod'
import { EXIT, type ExitCode } from '../exit-code.ts'
import { atServer } from '../reflection/at-server.ts'
import { findReflection } from '../reflection/find-reflection.ts'
import { inLine } from '../render/in-line.ts'
import { jsonLine } from '../render/json-line.ts'
import type { ScreenLook } from '../render/screen-of.ts'
import { tell } from '../render/tell.ts'
import type { CommandCall } from './command.ts'
import { parseOptions } from './parse-options.ts'

const TestOptions = z.object({ surface: Surface.default('standard'), write: z.string().min(1).optional() })

/** Tries the agent of one surface with the tests that its facts make, or writes these to a file. */
export async function testReflection(call: CommandCall): Promise<ExitCode> {
  const { io, json, positionals } = call
  const { surface, write } = parseOptions(TestOptions, call.options)
  const { client, screen, config } = await atServer(call)
  const { id: reflectionId } = await findReflection(client, positionals[0] ?? '', config)
  const run = write === undefined
  const report = await client.reflections.testAgents({ reflectionId, surface, run })
  if (write !== undefined) {
    await writeSuite(write, report)
    if (json) io.stdout.write(jsonLine({ file: write, tests: report.items.length }))
    else tell(io.stdout, `${report.items.length} tests are in ${write}.`)
    return EXIT.done
  }
  io.stdout.write(json ? jsonLine(report) : `${reportLines(report, screen).join('\n')}\n`)
  const isGood = report.warnings.length === 0 && report.items.every(({ verdict }) => verdict === 'passed')
  return isGood ? EXIT.done : EXIT.failed
}

async function writeSuite(file: string, { surface, items }: AgentTestReport): Promise<void> {
  const suite = { surface, tests: items.map(({ test }) => test) }
  try {
    // It may name what is private.
    await writeFile(file, `${JSON.stringify(suite, null, 2)}\n`, { mode: 0o600 })
  } catch (cause) {
    const message = `The tests cannot be written to ${file}: ${String(cause)}.`
    throw new PlatformError('validation', { message, mend: 'Name another file.' }, { cause })
  }
}

function reportLines({ items, warnings }: AgentTestReport, { style }: ScreenLook): readonly string[] {
  const passed = items.filter(({ verdict }) => verdict === 'passed').length
  return [
    ...items.flatMap(({ test, verdict = 'unfinished', reasons }) => [
      `${VERDICTS[verdict](style)}  ${inLine(test.name)}  ${style.dim(inLine(test.history.at(-1)?.text ?? ''))}`,
      ...(verdict === 'passed' ? [] : reasons.map((reason) => `    ${inLine(reason)}`)),
    ]),
    ...warnings.map((warning) => `${style.warn('warning')}  ${inLine(warning)}`),
    `${passed} of ${items.length} passed.`,
  ]
}

type TestVerdict = NonNullable<AgentTestReport['items'][number]['verdict']>

const VERDICTS: Readonly<Record<TestVerdict, (style: ScreenLook['style']) => string>> = {
  passed: ({ good }) => good('passed'),
  failed: ({ bad }) => bad('failed'),
  unfinished: ({ warn }) => warn('unfinished'),
}
