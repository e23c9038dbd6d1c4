import { PlatformError } from '@parley/contracts'
import { z } from 'zod'
import { EXIT, type ExitCode } from '../exit-code.ts'
import { canAsk, confirm } from '../prompt/confirm.ts'
import { atServer } from '../reflection/at-server.ts'
import { findReflection } from '../reflection/find-reflection.ts'
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
  if (!yes) {
    if (json || !canAsk(io)) throw unasked()
    const question = `Remove ${displayName} for good, with its sources and all that was learned from them?`
    if ((await confirm(io, config, question)) !== 'yes') {
      tell(io.stdout, 'Nothing was removed.')
      return EXIT.cancelled
    }
  }
  await client.reflections.remove(id)
  if (json) io.stdout.write(jsonLine({ reflectionId: id, removed: true }))
  else tell(io.stdout, `${displayName} is gone.`)
  return EXIT.done
}

const unasked = () =>
  new PlatformError('validation', {
    message: 'A reflection is removed only after a question, which cannot be asked here.',
    mend: 'Add --yes to remove it without being asked.',
  })
