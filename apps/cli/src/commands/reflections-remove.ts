import { z } from 'zod'
import { EXIT, type ExitCode } from '../exit-code.ts'
import { atServer } from '../reflection/at-server.ts'
import { findReflection } from '../reflection/find-reflection.ts'
import { findSource } from '../reflection/find-source.ts'
import { mayRemove } from '../reflection/may-remove.ts'
import { jsonLine } from '../render/json-line.ts'
import { tell } from '../render/tell.ts'
import type { CommandCall } from './command.ts'
import { parseOptions } from './parse-options.ts'

const RemoveOptions = z.object({ yes: z.boolean().default(false) })

/** Removes a reflection with all that it holds, once the person has said so. */
export async function removeReflection(call: CommandCall): Promise<ExitCode> {
  const { io, json, positionals } = call
  const { yes } = parseOptions(RemoveOptions, call.options)
  const { client, config } = await atServer(call)
  const { id, displayName } = await findReflection(client, positionals[0] ?? '', config)
  const question = `Remove ${displayName} for good, with its sources and all that was learned from them?`
  if (!yes && !(await mayRemove(call, config, question))) return EXIT.cancelled
  await client.reflections.remove(id)
  if (json) io.stdout.write(jsonLine({ reflectionId: id, removed: true }))
  else tell(io.stdout, `${displayName} is gone.`)
  return EXIT.done
}

/** Removes one source with what was learned from it, once the person has said so. */
export async function removeSource(call: CommandCall): Promise<ExitCode> {
  const { io, json, positionals } = call
  const { yes } = parseOptions(RemoveOptions, call.options)
  const { client, config } = await atServer(call)
  const [given = '', source = ''] = positionals
  const reflection = await findReflection(client, given, config)
  const { id: sourceId, title } = await findSource(client, reflection, source)
  const question = `Remove ${title} for good, with all that was learned from it?`
  if (!yes && !(await mayRemove(call, config, question))) return EXIT.cancelled
  const removing = await client.reflections.removeSource({ reflectionId: reflection.id, sourceId })
  if (json) io.stdout.write(jsonLine(removing))
  else tell(io.stdout, `${title} is being removed, with what was learned from it.`)
  return EXIT.done
}
