import { PlatformError, VariableName } from '@parley/contracts'
import type { History } from '@parley/history'
import { openLocalHistory } from '../compose.ts'
import { readConfig } from '../config.ts'
import { tell } from '../render/tell.ts'
import type { CommandCall } from './command.ts'

/** Works at the secrets, with the history that holds them open meanwhile. */
export async function withSecrets<T>(
  { io }: Pick<CommandCall, 'io'>,
  work: (secrets: History['secrets']) => T,
): Promise<T> {
  const history = await openLocalHistory(readConfig(io.environment), (notice) =>
    tell(io.stderr, `parley: ${notice}`),
  )
  try {
    return work(history.secrets)
  } finally {
    history.close()
  }
}

/** The name that a command is given first; throws where it cannot be one. */
export function secretName([given = '']: CommandCall['positionals']): string {
  const parsed = VariableName.safeParse(given)
  if (parsed.success) return parsed.data
  throw new PlatformError('validation', {
    message: 'The name of a secret has letters, digits and underscores, and does not begin with a digit.',
    mend: 'As in: parley keys set TIDES_API_KEY. The value itself is read from standard input.',
  })
}
