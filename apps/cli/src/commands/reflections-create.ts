import { PlatformError } from '@parley/contracts'
import { z } from 'zod'
import { EXIT, type ExitCode } from '../exit-code.ts'
import { atServer } from '../reflection/at-server.ts'
import { jsonLine } from '../render/json-line.ts'
import { tell } from '../render/tell.ts'
import { shortId } from '../session/short-id.ts'
import type { CommandCall } from './command.ts'
import { parseOptions } from './parse-options.ts'

const CreateOptions = z.object({ creator: z.string().optional(), review: z.boolean().default(false) })

/** Makes a reflection, whose namespaces are private until they are published. */
export async function createReflection(call: CommandCall): Promise<ExitCode> {
  const { io, json, positionals } = call
  const { creator, review } = parseOptions(CreateOptions, call.options)
  const name = positionals.join(' ').trim()
  if (name === '')
    throw new PlatformError('validation', { message: 'A reflection has a name that is not empty.' })
  const { client } = await atServer(call)
  const reflection = await client.reflections.create({
    displayName: name,
    ...(creator !== undefined && { creatorName: creator }),
    ...(review && { approval: 'by_person' }),
  })
  const { id, displayName } = reflection
  if (json) io.stdout.write(jsonLine(reflection))
  else {
    tell(io.stdout, `${displayName} is there, as ${shortId(id)}.`)
    tell(io.stdout, `Give it something to learn from: parley reflections add ${shortId(id)} FILE`)
  }
  return EXIT.done
}
