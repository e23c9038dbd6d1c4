import { z } from 'zod'
import { renderColumns } from '../config/render-columns.ts'
import { EXIT, type ExitCode } from '../exit-code.ts'
import { atServer } from '../reflection/at-server.ts'
import { findReflection } from '../reflection/find-reflection.ts'
import { LimitOption } from '../reflection/limit-option.ts'
import { upTo } from '../reflection/up-to.ts'
import { jsonLine } from '../render/json-line.ts'
import { localTime } from '../render/local-time.ts'
import { tell } from '../render/tell.ts'
import type { CommandCall } from './command.ts'
import { parseOptions } from './parse-options.ts'

const AuditOptions = z.object({ limit: LimitOption })

/** Lists what people did to a reflection, latest first. */
export async function auditReflection(call: CommandCall): Promise<ExitCode> {
  const { io, json, positionals } = call
  const { limit } = parseOptions(AuditOptions, call.options)
  const { client, screen, config } = await atServer(call)
  const { id: reflectionId } = await findReflection(client, positionals[0] ?? '', config)
  const { items, more } = await upTo(limit, (page) => client.reflections.audit({ ...page, reflectionId }))
  if (json) io.stdout.write(jsonLine({ items, more }))
  else if (items.length === 0) tell(io.stdout, 'Nothing was done to it yet.')
  else {
    const members = await client.reflections.members(reflectionId)
    const labels = new Map(members.map(({ personId, label }) => [personId, label]))
    const rows = items.map(({ at, who, what, target = '' }) => [
      localTime(at),
      labels.get(who) ?? who,
      what.replaceAll('_', ' '),
      target,
    ])
    const room = { columns: screen.columns, yielding: [1] }
    io.stdout.write(renderColumns(['WHEN', 'WHO', 'WHAT', 'OF WHAT'], rows, screen.style, room))
    if (more) io.stdout.write(`${screen.style.dim('There are more: add --limit 1000')}\n`)
  }
  return EXIT.done
}
