import { nearest, PlatformError } from '@parley/contracts'
import { EXIT, type ExitCode } from '../exit-code.ts'
import { jsonLine } from '../render/json-line.ts'
import { tell } from '../render/tell.ts'
import type { CommandCall } from './command.ts'
import { secretName, withSecrets } from './with-secrets.ts'

/** Nothing can use the secret any more; that its value is not to be shown stays known. */
export async function removeSecret(call: CommandCall): Promise<ExitCode> {
  const { io, json, positionals } = call
  const name = secretName(positionals)
  await withSecrets(call, (secrets) => {
    if (!secrets.remove(name)) throw unknown(name, secrets.list())
  })
  if (json) io.stdout.write(jsonLine({ name, removed: true }))
  else
    tell(
      io.stdout,
      `${name} is removed. Its value stays in the encrypted history, only to be masked wherever it would appear.`,
    )
  return EXIT.done
}

function unknown(name: string, all: readonly { name: string; isRetired: boolean }[]): PlatformError {
  const names = all.filter(({ isRetired }) => !isRetired).map((one) => one.name)
  const meant = nearest(name, names)
  return new PlatformError('not_found', {
    message: `There is no secret ${name}${meant === undefined ? '.' : `; did you mean ${meant}?`}`,
    mend: '`parley keys list` shows the names of all.',
    name,
  })
}
