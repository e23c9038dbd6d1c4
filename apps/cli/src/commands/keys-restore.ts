import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { PlatformError } from '@parley/contracts'
import { readConfig } from '../config.ts'
import { EXIT, type ExitCode } from '../exit-code.ts'
import { jsonLine } from '../render/json-line.ts'
import { tell } from '../render/tell.ts'
import type { CommandCall } from './command.ts'
import { keyOptions } from './keys-options.ts'

/** Puts a key that was backed up in its place. */
export async function restoreKeys({ io, json, positionals }: CommandCall): Promise<ExitCode> {
  const config = readConfig(io.environment)
  const file = resolve(positionals[0] ?? '')
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw unreadable(file, error)
  })
  const { restoreKey } = await import('@parley/history')
  const restored = await restoreKey({ ...keyOptions(config, io), text, file })
  if (json) io.stdout.write(jsonLine(restored))
  else tell(io.stdout, `The key opens the history ${restored.history}, and is now in ${restored.where}.`)
  if (config.historyKey !== undefined) {
    tell(
      io.stderr,
      'parley: PARLEY_HISTORY_KEY is set and goes before it: unset it, so that the restored key is used.',
    )
  }
  return EXIT.done
}

const unreadable = (file: string, cause: NodeJS.ErrnoException) =>
  new PlatformError(
    'validation',
    {
      message:
        cause.code === 'ENOENT'
          ? `There is no file ${file}.`
          : `The file ${file} cannot be read (${cause.code}).`,
      mend: 'Name the file that `parley keys back-up` wrote.',
    },
    { cause },
  )
