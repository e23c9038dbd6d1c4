import { PlatformError } from '@parley/contracts'
import type { CommandCall } from '../commands/command.ts'
import type { Config } from '../config.ts'
import { canAsk, confirm } from '../prompt/confirm.ts'
import { tell } from '../render/tell.ts'

/** Whether the person says yes to a removal; who can be asked nothing says so by --yes. */
export async function mayRemove(
  { io, json }: Pick<CommandCall, 'io' | 'json'>,
  config: Config,
  question: string,
): Promise<boolean> {
  if (json || !canAsk(io)) {
    throw new PlatformError('validation', {
      message: 'It is removed only after a question, which cannot be asked here.',
      mend: 'Add --yes to remove it without being asked.',
    })
  }
  if ((await confirm(io, config, question)) === 'yes') return true
  tell(io.stdout, 'Nothing was removed.')
  return false
}
