import { PlatformError } from '@parley/contracts'
import { z } from 'zod'
import { EXIT, type ExitCode } from '../exit-code.ts'
import { atServer } from '../reflection/at-server.ts'
import { findReflection } from '../reflection/find-reflection.ts'
import { jsonLine } from '../render/json-line.ts'
import { tell } from '../render/tell.ts'
import type { CommandCall } from './command.ts'
import { parseOptions } from './parse-options.ts'

const ChangeOptions = z.object({
  name: z.string().trim().min(1).max(200).optional(),
  review: z.enum(['on', 'off'], 'must be on or off').optional(),
})

/** Gives a reflection another name, or says whether a person approves what it learns. */
export async function changeReflection(call: CommandCall): Promise<ExitCode> {
  const { io, json, positionals } = call
  const { name, review } = parseOptions(ChangeOptions, call.options)
  if (name === undefined && review === undefined) {
    throw new PlatformError('validation', {
      message: 'Say what to change.',
      mend: 'Add --name NAME, --review on, or --review off.',
    })
  }
  const { client, config } = await atServer(call)
  const { id: reflectionId } = await findReflection(client, positionals[0] ?? '', config)
  const changed = await client.reflections.change({
    reflectionId,
    ...(name !== undefined && { displayName: name }),
    ...(review !== undefined && { approval: review === 'on' ? 'by_person' : 'by_rule' }),
  })
  const { displayName, approval } = changed
  const who = approval === 'by_person' ? 'a person approves' : 'rules approve'
  if (json) io.stdout.write(jsonLine(changed))
  else tell(io.stdout, `${displayName}: ${who} what is learned from now on.`)
  return EXIT.done
}
