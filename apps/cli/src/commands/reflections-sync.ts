import { AgentSurface, type SurfaceStatus } from '@parley/contracts'
import { z } from 'zod'
import { EXIT, type ExitCode } from '../exit-code.ts'
import { atServer } from '../reflection/at-server.ts'
import { findReflection } from '../reflection/find-reflection.ts'
import { inLine } from '../render/in-line.ts'
import { jsonLine } from '../render/json-line.ts'
import { localTime } from '../render/local-time.ts'
import type { ScreenLook } from '../render/screen-of.ts'
import type { CommandCall } from './command.ts'
import { parseOptions } from './parse-options.ts'

const SyncOptions = z.object({ surface: AgentSurface.optional(), show: z.boolean().optional() })

/** Brings the agents of a reflection to what speaks for it now, and prints how they stand. */
export async function syncReflection(call: CommandCall): Promise<ExitCode> {
  const { io, json, positionals } = call
  const { surface, show } = parseOptions(SyncOptions, call.options)
  const { client, screen, config } = await atServer(call)
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
  const known = about.filter((one) => one !== undefined).map(inLine)
  return [
    `${style.bold(surface)}  ${STATUSES[status](style)}${style.dim(`  ${known.join('  ')}`)}`.trimEnd(),
    ...differs.map((what) => `    ${style.warn('!')} ${inLine(what)} differs`),
    ...missing.map((what) => `    ${style.warn('!')} ${inLine(what)}`),
  ]
}

const STATUSES: Readonly<Record<SurfaceStatus['status'], (style: ScreenLook['style']) => string>> = {
  fresh: ({ good }) => good('current'),
  stale: ({ warn }) => warn('out of date'),
  not_ready: ({ dim }) => dim('not there yet'),
}
