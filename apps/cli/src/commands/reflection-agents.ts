import { writeFile } from 'node:fs/promises'
import { z } from 'zod'
import {
  type AgentDrift,
  AgentSurface,
  type AgentTestReport,
  PlatformError,
  type ServerAgentDrift,
  Surface,
  type SurfaceStatus,
} from '@parley/contracts'
import { EXIT, type ExitCode } from '../exit-code.ts'
import { connectToServer } from '../reflection/at-server.ts'
import { findReflection } from '../reflection/find-reflection.ts'
import { jsonLine, localTime, tell } from '../render/output.ts'
import type { ScreenLook } from '../render/screen-look.ts'
import { toInlineText } from '../render/text.ts'
import { type CommandCall, parseOptions } from './command.ts'

const SyncOptions = z.object({ surface: AgentSurface.optional(), show: z.boolean().optional() })

/** Updates the agents of a reflection to the current version, and prints their status. */
export async function syncReflection(call: CommandCall): Promise<ExitCode> {
  const { io, json, positionals } = call
  const { surface, show } = parseOptions(SyncOptions, call.options)
  const { client, screen, config } = await connectToServer(call)
  const { id: reflectionId } = await findReflection(client, positionals[0] ?? '', config)
  const { items } = show
    ? await client.reflections.syncStatus(reflectionId)
    : await client.reflections.sync({ reflectionId, ...(surface && { surface }) })
  const asked = items.filter((item) => surface === undefined || item.surface === surface)
  io.stdout.write(
    json ? jsonLine({ items: asked }) : `${asked.flatMap((item) => statusLines(item, screen)).join('\n')}\n`,
  )
  return EXIT.done
}

function statusLines(
  { surface, status, agentId, syncedAt, packKind, differs, missing }: SurfaceStatus,
  { style }: ScreenLook,
): readonly string[] {
  const about = [agentId, packKind, syncedAt === undefined ? undefined : localTime(syncedAt)]
  const known = about.filter((one) => one !== undefined).map(toInlineText)
  return [
    `${style.bold(surface)}  ${STATUSES[status](style)}${style.dim(`  ${known.join('  ')}`)}`.trimEnd(),
    ...differs.map((what) => `    ${style.warn('!')} ${toInlineText(what)} differs`),
    ...missing.map((what) => `    ${style.warn('!')} ${toInlineText(what)}`),
  ]
}

const STATUSES: Readonly<Record<SurfaceStatus['status'], (style: ScreenLook['style']) => string>> = {
  fresh: ({ good }) => good('current'),
  stale: ({ warn }) => warn('out of date'),
  not_ready: ({ dim }) => dim('not created yet'),
}

const TestOptions = z.object({ surface: Surface.default('standard'), write: z.string().min(1).optional() })

/** Runs the tests built from its facts against an agent, or writes them to a file. */
export async function testReflection(call: CommandCall): Promise<ExitCode> {
  const { io, json, positionals } = call
  const { surface, write } = parseOptions(TestOptions, call.options)
  const { client, screen, config } = await connectToServer(call)
  const { id: reflectionId } = await findReflection(client, positionals[0] ?? '', config)
  const run = write === undefined
  const report = await client.reflections.testAgents({ reflectionId, surface, run })
  if (write !== undefined) {
    await writeSuite(write, report)
    if (json) io.stdout.write(jsonLine({ file: write, tests: report.items.length }))
    else tell(io.stdout, `${report.items.length} tests written to ${write}.`)
    return EXIT.done
  }
  io.stdout.write(json ? jsonLine(report) : `${reportLines(report, screen).join('\n')}\n`)
  const isGood = report.warnings.length === 0 && report.items.every(({ verdict }) => verdict === 'passed')
  return isGood ? EXIT.done : EXIT.failed
}

async function writeSuite(file: string, { surface, items }: AgentTestReport): Promise<void> {
  const suite = { surface, tests: items.map(({ test }) => test) }
  try {
    // It may contain private facts.
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
      `${VERDICTS[verdict](style)}  ${toInlineText(test.name)}  ${style.dim(toInlineText(test.history.at(-1)?.text ?? ''))}`,
      ...(verdict === 'passed' ? [] : reasons.map((reason) => `    ${toInlineText(reason)}`)),
    ]),
    ...warnings.map((warning) => `${style.warn('warning')}  ${toInlineText(warning)}`),
    `${passed} of ${items.length} passed.`,
  ]
}

type TestVerdict = NonNullable<AgentTestReport['items'][number]['verdict']>

const VERDICTS: Readonly<Record<TestVerdict, (style: ScreenLook['style']) => string>> = {
  passed: ({ good }) => good('passed'),
  failed: ({ bad }) => bad('failed'),
  unfinished: ({ warn }) => warn('unfinished'),
}

const DriftOptions = z.object({ repair: z.boolean().optional() })

/** Prints how the agents at the provider differ from the expected settings, field by field. */
export async function reflectionDrift(call: CommandCall): Promise<ExitCode> {
  const { io, json, positionals } = call
  const { repair = false } = parseOptions(DriftOptions, call.options)
  const { client, screen, config } = await connectToServer(call)
  const { id: reflectionId } = await findReflection(client, positionals[0] ?? '', config)
  const found = repair ? await client.reflections.drift({ reflectionId, repair: false }) : undefined
  const { items, server } = await client.reflections.drift({ reflectionId, repair })
  const stillWrong = new Set([...items, ...server].filter(hasDrifted).map(nameOf))
  const repaired =
    found &&
    [...found.items, ...found.server].filter((item) => hasDrifted(item) && !stillWrong.has(nameOf(item)))
  const lines = [...items, ...server].flatMap((item) => driftLines(nameOf(item), item, screen))
  if (json) io.stdout.write(jsonLine({ items, server, ...(repaired && { repaired }) }))
  else {
    const before = repaired && repairedLines(repaired, screen)
    io.stdout.write(`${[...(before ?? []), ...lines].join('\n')}\n`)
  }
  return stillWrong.size > 0 ? EXIT.failed : EXIT.done
}

const hasDrifted = ({ status }: AgentDrift | ServerAgentDrift): boolean =>
  status === 'differs' || status === 'gone'

/** The differences before the repair. */
function repairedLines(
  repaired: readonly (AgentDrift | ServerAgentDrift)[],
  screen: ScreenLook,
): readonly string[] {
  if (repaired.length === 0) return ['Nothing had to be repaired.', '']
  return ['Repaired:', ...repaired.flatMap((item) => driftLines(nameOf(item), item, screen)), '', 'Now:']
}

const nameOf = (item: AgentDrift | ServerAgentDrift): string =>
  'surface' in item ? item.surface : `the server’s ${item.kind}`

const DRIFT_STATUSES: Readonly<Record<AgentDrift['status'], (style: ScreenLook['style']) => string>> = {
  as_wanted: ({ good }) => good('up to date'),
  differs: ({ bad }) => bad('differs'),
  gone: ({ bad }) => bad('gone'),
  not_made: ({ dim }) => dim('not made yet'),
  not_comparable: ({ warn }) => warn('expected settings not known yet'),
}

const LONGEST_VALUE = 100

function driftLines(
  name: string,
  { status, agentId = '', differences, beyond, why }: AgentDrift | ServerAgentDrift,
  { style }: ScreenLook,
): readonly string[] {
  return [
    `${style.bold(name)}  ${DRIFT_STATUSES[status](style)}${style.dim(`  ${toInlineText(agentId)}`)}`.trimEnd(),
    ...why.map((reason) => `    ${toInlineText(reason)}`),
    ...differences.flatMap(({ path, wanted, held }) => [
      `    ${toInlineText(path)}`,
      style.good(`      wanted ${valueText(wanted)}`),
      style.bad(`      held   ${valueText(held)}`),
    ]),
    ...beyond.map((path) => `    ${toInlineText(path)} ${style.bad('was added there')}`),
  ]
}

function valueText(value: unknown): string {
  const text = value === undefined ? 'nothing' : toInlineText(JSON.stringify(value))
  return text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE)} … (${text.length} characters)` : text
}
