import { join } from 'node:path'
import { PlatformError } from '@parley/contracts'
import { OWN_FILE } from '../config/load-settings.ts'
import { readConfig } from '../config.ts'
import { EXIT, type ExitCode } from '../exit-code.ts'
import { readInput } from '../message/read-message.ts'
import { readHidden } from '../prompt/read-hidden.ts'
import { jsonLine } from '../render/json-line.ts'
import { tell } from '../render/tell.ts'
import type { CommandCall } from './command.ts'
import { secretName, withSecrets } from './with-secrets.ts'

/** Keeps a secret. Its value is never an argument, which others could read in the list of processes. */
export async function setSecret(call: CommandCall): Promise<ExitCode> {
  const { io, json, positionals } = call
  const name = secretName(positionals)
  const value = io.stdin.isTTY
    ? await readHidden(io, `Value of ${name} (it is not shown): `)
    : await readInput(io.stdin)
  if (value === undefined) return EXIT.cancelled
  refuseUnlikely(value)
  await withSecrets(call, (secrets) => secrets.set(name, value))
  if (json) io.stdout.write(jsonLine({ name, set: true }))
  else
    tell(
      io.stdout,
      `${name} is kept in the encrypted history. Write {{secrets.${name}}} under [http_headers], or in the headers or env of an MCP server or the headers of [web_search], in ${join(readConfig(io.environment).home, OWN_FILE)}.`,
    )
  return EXIT.done
}

const SHORTEST = 8
const LONGEST = 10_000

/** A value that is masked everywhere must not be a word. */
function refuseUnlikely(value: string): void {
  const message =
    value.length < SHORTEST
      ? `A secret has at least ${SHORTEST} characters: shorter ones stand in other text by chance.`
      : value.length > LONGEST
        ? `A secret has at most ${LONGEST} characters.`
        : /[\p{Cc}]/u.test(value)
          ? 'A secret is one line, without control characters.'
          : undefined
  if (message !== undefined)
    throw new PlatformError('validation', { message: `${message} Nothing was changed.` })
}
