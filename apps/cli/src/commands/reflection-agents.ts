import { writeFile } from 'node:fs/promises'
import { z } from 'zod'
import {
  AGENT_STATUS_LABELS,
  type AgentDrift,
  AgentSurface,
  type AgentTestReport,
  PlatformError,
  type ServerAgentDrift,
  Surface,
  type SurfaceStatus,
} from '@parley/contracts'
import { EXIT, type ExitCode } from '../exit-code.ts'
import { connectToReflection } from '../reflection/find-reflection.ts'
import { toJsonLine, formatLocalTime } from '../render/output.ts'
import type { Display } from '../render/display.ts'
import { toInlineText } from '../render/text.ts'
import { type CommandCall, parseOptions, printResult } from './command.ts'

const SyncOptions = z.object({ surface: AgentSurface.optional(), show: z.boolean().optional() })

export async function syncAgents(call: CommandCall): Promise<ExitCode> {
  const { io, json } = call
  const { surface, show } = parseOptions(SyncOptions, call.options)
  const { client, display, reflectionId } = await connectToReflection(call)
  const { items: all } = show
    ? await client.reflections.syncStatus(reflectionId)
    : await client.reflections.sync({ reflectionId, ...(surface && { surface }) })
  const items = all.filter((item) => surface === undefined || item.surface === surface)
  io.stdout.write(
    json
      ? toJsonLine({ items })
      : `${items.flatMap((item) => renderSurfaceStatus(item, display)).join('\n')}\n`,
  )
  return EXIT.done
}

function renderSurfaceStatus(
  { surface, status, agentId, syncedAt, packKind, differs, missing }: SurfaceStatus,
  { style }: Display,
): readonly string[] {
  const about = [agentId, packKind, syncedAt === undefined ? undefined : formatLocalTime(syncedAt)]
  const known = about.filter((one) => one !== undefined).map(toInlineText)
  return [
    `${style.bold(surface)}  ${renderAgentStatus(status, style)}${style.dim(`  ${known.join('  ')}`)}`.trimEnd(),
    ...differs.map((what) => `    ${style.warn('!')} ${toInlineText(what)} differs`),
    ...missing.map((what) => `    ${style.warn('!')} ${toInlineText(what)}`),
  ]
}

type AgentStatus = SurfaceStatus['status'] | AgentDrift['status']

const renderAgentStatus = (status: AgentStatus, style: Display['style']): string =>
  style[STATUS_STYLES[status]](AGENT_STATUS_LABELS[status])

const STATUS_STYLES: Readonly<Record<AgentStatus, 'good' | 'warn' | 'bad' | 'dim'>> = {
  fresh: 'good',
  stale: 'warn',
  not_ready: 'dim',
  as_wanted: 'good',
  differs: 'bad',
  gone: 'bad',
  not_made: 'dim',
  not_comparable: 'warn',
}

const TestOptions = z.object({ surface: Surface.default('standard'), write: z.string().min(1).optional() })

/** Runs the tests built from its facts against an agent, or writes them to a file. */
export async function testAgent(call: CommandCall): Promise<ExitCode> {
  const { io, json } = call
  const { surface, write } = parseOptions(TestOptions, call.options)
  const { client, display, reflectionId } = await connectToReflection(call)
  const run = write === undefined
  const report = await client.reflections.testAgents({ reflectionId, surface, run })
  if (write !== undefined) {
    await writeSuite(write, report)
    const tests = report.items.length
    return printResult(call, { file: write, tests }, `${tests} tests written to ${write}.`)
  }
  io.stdout.write(json ? toJsonLine(report) : `${renderTestReport(report, display).join('\n')}\n`)
  const hasPassed = report.warnings.length === 0 && report.items.every(({ verdict }) => verdict === 'passed')
  return hasPassed ? EXIT.done : EXIT.failed
}

async function writeSuite(file: string, { surface, items }: AgentTestReport): Promise<void> {
  const suite = { surface, tests: items.map(({ test }) => test) }
  try {
    // It may contain private facts.
    await writeFile(file, `${JSON.stringify(suite, null, 2)}\n`, { mode: 0o600 })
  } catch (cause) {
    const message = `The tests cannot be written to ${file}: ${String(cause)}.`
    throw new PlatformError('validation', { message, fix: 'Name another file.' }, { cause })
  }
}

function renderTestReport({ items, warnings }: AgentTestReport, { style }: Display): readonly string[] {
  const passed = items.filter(({ verdict }) => verdict === 'passed').length
  return [
    ...items.flatMap(({ test, verdict = 'unfinished', reasons }) => [
      `${VERDICT_TEXTS[verdict](style)}  ${toInlineText(test.name)}  ${style.dim(toInlineText(test.history.at(-1)?.text ?? ''))}`,
      ...(verdict === 'passed' ? [] : reasons.map((reason) => `    ${toInlineText(reason)}`)),
    ]),
    ...warnings.map((warning) => `${style.warn('warning')}  ${toInlineText(warning)}`),
    `${passed} of ${items.length} passed.`,
  ]
}

type TestVerdict = NonNullable<AgentTestReport['items'][number]['verdict']>

const VERDICT_TEXTS: Readonly<Record<TestVerdict, (style: Display['style']) => string>> = {
  passed: ({ good }) => good('passed'),
  failed: ({ bad }) => bad('failed'),
  unfinished: ({ warn }) => warn('unfinished'),
}

const DriftOptions = z.object({ repair: z.boolean().optional() })

/** Prints how the agents at the provider differ from the expected settings, field by field. */
export async function compareAgents(call: CommandCall): Promise<ExitCode> {
  const { io, json } = call
  const { repair = false } = parseOptions(DriftOptions, call.options)
  const { client, display, reflectionId } = await connectToReflection(call)
  const before = repair ? await client.reflections.drift({ reflectionId, repair: false }) : undefined
  const { items, server } = await client.reflections.drift({ reflectionId, repair })
  const drifted = new Set([...items, ...server].filter(hasDrifted).map(formatAgentName))
  const repaired =
    before &&
    [...before.items, ...before.server].filter(
      (item) => hasDrifted(item) && !drifted.has(formatAgentName(item)),
    )
  if (json) io.stdout.write(toJsonLine({ items, server, ...(repaired && { repaired }) }))
  else {
    const lines = [
      ...(repaired ? renderRepaired(repaired, display) : []),
      ...[...items, ...server].flatMap((item) => renderDrift(item, display)),
    ]
    io.stdout.write(`${lines.join('\n')}\n`)
  }
  return drifted.size > 0 ? EXIT.failed : EXIT.done
}

const hasDrifted = ({ status }: AgentDrift | ServerAgentDrift): boolean =>
  status === 'differs' || status === 'gone'

function renderRepaired(
  repaired: readonly (AgentDrift | ServerAgentDrift)[],
  display: Display,
): readonly string[] {
  if (repaired.length === 0) return ['Nothing had to be repaired.', '']
  return ['Repaired:', ...repaired.flatMap((item) => renderDrift(item, display)), '', 'Now:']
}

const formatAgentName = (item: AgentDrift | ServerAgentDrift): string =>
  'surface' in item ? item.surface : `the server’s ${item.kind}`

const MAX_VALUE_LENGTH = 100

function renderDrift(item: AgentDrift | ServerAgentDrift, { style }: Display): readonly string[] {
  const { status, agentId = '', differences, beyond, why } = item
  return [
    `${style.bold(formatAgentName(item))}  ${renderAgentStatus(status, style)}${style.dim(`  ${toInlineText(agentId)}`)}`.trimEnd(),
    ...why.map((reason) => `    ${toInlineText(reason)}`),
    ...differences.flatMap(({ path, wanted, held }) => [
      `    ${toInlineText(path)}`,
      style.good(`      expected ${formatValue(wanted)}`),
      style.bad(`      actual   ${formatValue(held)}`),
    ]),
    ...beyond.map((path) => `    ${toInlineText(path)} ${style.bad('was added at the provider')}`),
  ]
}

function formatValue(value: unknown): string {
  const text = value === undefined ? 'nothing' : toInlineText(JSON.stringify(value))
  return text.length > MAX_VALUE_LENGTH
    ? `${text.slice(0, MAX_VALUE_LENGTH)} … (${text.length} characters)`
    : text
}
