import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { PlatformError, type SessionId } from '@parley/contracts'
import type { Sessions } from '@parley/engine'
import { writeExport } from '../commands/write-export.ts'

interface Where {
  readonly workingDir: string
  /** Without one a name is found that no file has. */
  readonly path: string | undefined
}

const MOST_NAMES = 1_000

/** Writes a session to a file that was not there before. */
export async function exportHere(
  sessions: Pick<Sessions, 'exported'>,
  sessionId: SessionId,
  { workingDir, path }: Where,
): Promise<{ readonly path: string }> {
  const { workflow, yaml } = await sessions.exported(sessionId)
  const write = async (file: string) => {
    await writeExport(file, yaml, { overwrite: false })
    return { path: file }
  }
  if (path !== undefined)
    return write(resolve(workingDir, path.replace(/^~(?=\/)/, homedir()))).catch(nameAnother)
  for (let count = 1; ; count += 1) {
    const file = join(workingDir, `${workflow.id}${count === 1 ? '' : `-${count}`}.relavium.yaml`)
    try {
      return await write(file)
    } catch (failure) {
      if (!isTaken(failure) || count === MOST_NAMES) throw failure
    }
  }
}

const isTaken = (failure: unknown): boolean =>
  failure instanceof PlatformError && failure.detail['reason'] === 'exists'

/** There are no options at a prompt. */
function nameAnother(failure: unknown): never {
  if (!(failure instanceof PlatformError)) throw failure
  const mend = 'Name another file, as in /export talk.yaml; /export alone finds a name that no file has.'
  throw new PlatformError(failure.code, { ...failure.detail, mend }, { cause: failure })
}
