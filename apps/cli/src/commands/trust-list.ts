import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Config } from '../config.ts'
import { renderColumns } from '../config/render-columns.ts'
import { EXIT, type ExitCode } from '../exit-code.ts'
import type { Io } from '../io.ts'
import { jsonLine } from '../render/json-line.ts'
import { localTime } from '../render/local-time.ts'
import { screenOf } from '../render/screen-of.ts'
import { tell } from '../render/tell.ts'
import { readTrust, type TrustedFile } from '../trust/trust-store.ts'

/** Lists the files that are trusted, and whether they still are what was trusted. */
export async function listTrust(io: Io, config: Config, json: boolean): Promise<ExitCode> {
  const files = await readTrust(config.home)
  const items = await Promise.all(files.map(async (file) => ({ ...file, state: await stateOf(file) })))
  if (json) io.stdout.write(jsonLine({ items }))
  else if (items.length === 0) tell(io.stdout, 'No file is trusted.')
  else {
    const rows = items.map(({ trustedAt, state, path }) => [localTime(trustedAt), state, path])
    io.stdout.write(renderColumns(['SINCE', 'STATE', 'FILE'], rows, screenOf(io.stdout, config).style))
  }
  return EXIT.done
}

async function stateOf({ path, sha256 }: TrustedFile): Promise<'as trusted' | 'changed' | 'gone'> {
  const bytes = await readFile(path).catch(() => undefined)
  if (!bytes) return 'gone'
  return createHash('sha256').update(bytes).digest('hex') === sha256 ? 'as trusted' : 'changed'
}
