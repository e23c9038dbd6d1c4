import { realpath } from 'node:fs/promises'
import { resolve, sep } from 'node:path'
import { PlatformError } from '@parley/contracts'
import type { Config } from '../config.ts'
import { EXIT, type ExitCode } from '../exit-code.ts'
import type { Io } from '../io.ts'
import { jsonLine } from '../render/json-line.ts'
import { tell } from '../render/tell.ts'
import { revokeTrust } from '../trust/trust-store.ts'

/** Trusts a file, or all below a folder, no more; it need not be there any longer. */
export async function revoke(io: Io, { home }: Config, json: boolean, given: string): Promise<ExitCode> {
  const target = resolve(given)
  const path = await realpath(target).catch(() => target)
  const revoked = await revokeTrust(home, (file) => file === path || file.startsWith(path + sep))
  if (revoked.length === 0) {
    throw new PlatformError('not_found', {
      message: `No trusted file is at ${target}.`,
      mend: '`parley trust --list` lists them.',
    })
  }
  if (json) io.stdout.write(jsonLine({ revoked }))
  else tell(io.stdout, `No longer trusted: ${revoked.join(', ')}`)
  return EXIT.done
}
