import { readConfig } from '../config.ts'
import { EXIT, type ExitCode } from '../exit-code.ts'
import { jsonLine } from '../render/json-line.ts'
import { tell } from '../render/tell.ts'
import type { CommandCall } from './command.ts'
import { keyOptions } from './keys-options.ts'

/** Makes a new key, or takes the one that is given, and encrypts the history with it. */
export async function rotateKeys({ io, json }: CommandCall): Promise<ExitCode> {
  const config = readConfig(io.environment)
  const { newHistoryKey: newKey } = config
  const { rotateKey } = await import('@parley/history')
  const rotated = await rotateKey({ ...keyOptions(config, io), ...(newKey !== undefined && { newKey }) })
  if (json) io.stdout.write(jsonLine(rotated))
  else tell(io.stdout, rotated.keyPlace === 'environment' ? GIVEN : madeIn(rotated.where))
  return EXIT.done
}

const COPIES = 'Copies of the history that were made before still need the old key.'

const GIVEN = `The history is encrypted with the new key, and the old one no longer opens it. From now on, set PARLEY_HISTORY_KEY to what PARLEY_HISTORY_KEY_NEW holds, and unset PARLEY_HISTORY_KEY_NEW.
${COPIES}`

const madeIn = (where: string) =>
  `The history is encrypted with a new key, which is in ${where}. The old one no longer opens it.
Back the new one up: parley keys back-up FILE. ${COPIES}`
