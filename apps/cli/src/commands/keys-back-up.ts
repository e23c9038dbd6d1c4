import { resolve } from 'node:path'
import { z } from 'zod'
import { readConfig } from '../config.ts'
import { EXIT, type ExitCode } from '../exit-code.ts'
import { jsonLine } from '../render/json-line.ts'
import { tell } from '../render/tell.ts'
import type { CommandCall } from './command.ts'
import { keyOptions } from './keys-options.ts'
import { parseOptions } from './parse-options.ts'

const BackUpOptions = z.object({ force: z.boolean().default(false) })

/** Writes the key to a file for its owner alone, or to the screen where that is asked for. */
export async function backUpKeys({ io, json, options, positionals }: CommandCall): Promise<ExitCode> {
  const config = readConfig(io.environment)
  const { force } = parseOptions(BackUpOptions, options)
  const { readKeyToBackUp, writeBackUp } = await import('@parley/history')
  const { history, key, text } = await readKeyToBackUp(keyOptions(config, io))
  const [name = '-'] = positionals
  if (name === '-') {
    io.stdout.write(json ? jsonLine({ history, key }) : text)
    return EXIT.done
  }
  const file = resolve(name)
  await writeBackUp(file, text, { overwrite: force })
  if (json) io.stdout.write(jsonLine({ history, file }))
  else
    tell(
      io.stdout,
      `The key of the history ${history} is in ${file}, which only you can read. Keep that file away from this machine: whoever has both can read the history. \`parley keys restore\` puts it back.`,
    )
  return EXIT.done
}
