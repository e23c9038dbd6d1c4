import type { AgentDrift, ServerAgentDrift } from '@parley/contracts'
import { z } from 'zod'
import { EXIT, type ExitCode } from '../exit-code.ts'
import { atServer } from '../reflection/at-server.ts'
import { findReflection } from '../reflection/find-reflection.ts'
import { inLine } from '../render/in-line.ts'
import { jsonLine } from '../render/json-line.ts'
import type { ScreenLook } from '../render/screen-of.ts'
import type { CommandCall } from './command.ts'
import { parseOptions } from './parse-options.ts'

const DriftOptions = z.object({ repair: z.boolean().optional() })

/** Prints in what the agents at the provider are not as they should be, field by field. */
export async function reflectionDrift(call: CommandCall): Promise<ExitCode> {
  const { io, json, positionals } = call
  const { repair = false } = parseOptions(DriftOptions, call.options)
  const { client, screen, config } = await atServer(call)
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

/** What was wrong before it was made right. */
function repairedLines(
  repaired: readonly (AgentDrift | ServerAgentDrift)[],
  screen: ScreenLook,
): readonly string[] {
  if (repaired.length === 0) return ['Nothing had to be repaired.', '']
  return ['Repaired:', ...repaired.flatMap((item) => driftLines(nameOf(item), item, screen)), '', 'Now:']
}

const nameOf = (item: AgentDrift | ServerAgentDrift): string =>
  'surface' in item ? item.surface : `the server’s ${item.kind}`

const STATUSES: Readonly<Record<AgentDrift['status'], (style: ScreenLook['style']) => string>> = {
  as_wanted: ({ good }) => good('as it should be'),
  differs: ({ bad }) => bad('differs'),
  gone: ({ bad }) => bad('gone'),
  not_made: ({ dim }) => dim('not made yet'),
  not_comparable: ({ warn }) => warn('what it should be is not known yet'),
}

const LONGEST_VALUE = 100

function driftLines(
  name: string,
  { status, agentId = '', differences, beyond, why }: AgentDrift | ServerAgentDrift,
  { style }: ScreenLook,
): readonly string[] {
  return [
    `${style.bold(name)}  ${STATUSES[status](style)}${style.dim(`  ${inLine(agentId)}`)}`.trimEnd(),
    ...why.map((reason) => `    ${inLine(reason)}`),
    ...differences.flatMap(({ path, wanted, held }) => [
      `    ${inLine(path)}`,
      style.good(`      wanted ${valueText(wanted)}`),
      style.bad(`      held   ${valueText(held)}`),
    ]),
    ...beyond.map((path) => `    ${inLine(path)} ${style.bad('was added there')}`),
  ]
}

function valueText(value: unknown): string {
  const text = value === undefined ? 'nothing' : inLine(JSON.stringify(value))
  return text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE)} … (${text.length} characters)` : text
}
