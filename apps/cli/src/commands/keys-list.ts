import { EXIT, type ExitCode } from '../exit-code.ts'
import { jsonLine } from '../render/json-line.ts'
import { localTime } from '../render/local-time.ts'
import { tell } from '../render/tell.ts'
import type { CommandCall } from './command.ts'
import { withSecrets } from './with-secrets.ts'

/** The names of the secrets that are kept, never their values. */
export async function listSecrets(call: CommandCall): Promise<ExitCode> {
  const { io, json } = call
  const all = await withSecrets(call, (secrets) => secrets.list())
  const items = all.filter(({ isRetired }) => !isRetired).map(({ name, setAt }) => ({ name, setAt }))
  if (json) io.stdout.write(jsonLine({ items }))
  else if (items.length === 0) tell(io.stdout, 'No secrets are kept. To keep one: parley keys set NAME')
  else for (const { name, setAt } of items) tell(io.stdout, `${name}  set ${localTime(setAt)}`)
  return EXIT.done
}
