import { randomBytes } from 'node:crypto'
import { link, lstat, rename, rm, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { z } from 'zod'
import { PlatformError, type SessionId } from '@parley/contracts'
import type { Sessions } from '@parley/engine'
import { EXIT, type ExitCode } from '../exit-code.ts'
import { jsonLine, tell } from '../render/output.ts'
import { type NamedSession, atSession } from '../session/find-session.ts'
import { writeTo } from '../talk/print-answer.ts'
import { type CommandCall, parseOptions } from './command.ts'

const ExportOptions = z.object({
  output: z.string().min(1, 'needs the name of a file').default('-'),
  force: z.boolean().default(false),
})

/** Writes a session as a workflow file that can be read, reviewed and run. */
export function exportSession(call: CommandCall): Promise<ExitCode> {
  const { io, json, options } = call
  const { output, force } = parseOptions(ExportOptions, options)
  return atSession(call, async (session) => {
    const { workflow, yaml } = await session.exported()
    const turns = workflow.nodes.filter(({ type }) => type === 'agent').length
    const figures = { nodes: workflow.nodes.length, turns, bytes: Buffer.byteLength(yaml) }
    if (output === '-') {
      await writeTo(io.stdout, json ? jsonLine({ ...figures, yaml }) : yaml)
      await noteExport(session)
      return EXIT.done
    }
    const file = resolve(output)
    await writeExport(file, yaml, { overwrite: force })
    await noteExport(session)
    if (json) io.stdout.write(jsonLine({ file, ...figures }))
    else tell(io.stdout, `${turns === 1 ? '1 turn is' : `${turns} turns are`} in ${file}.`)
    return EXIT.done
  })
}

/** What cannot be noted, such as on a disk that can only be read, was exported all the same. */
async function noteExport(session: NamedSession): Promise<void> {
  await session.noteExport().catch((failure: unknown) => {
    if (!(failure instanceof PlatformError)) throw failure
  })
}

/** For its owner alone, and whole or not at all; over a file that is there only where that is asked for. */
export async function writeExport(
  file: string,
  text: string,
  { overwrite }: { readonly overwrite: boolean },
): Promise<void> {
  const draft = join(dirname(file), `.${basename(file).slice(0, 100)}.${randomBytes(6).toString('hex')}`)
  try {
    const found = await lstat(file).catch(() => undefined)
    if (found && !found.isFile()) throw notWritten(file, whatIsThere(found.isDirectory()))
    if (found && !overwrite) throw isThereAlready(file)
    await writeFile(draft, text, { mode: 0o600, flag: 'wx', flush: true })
    await (overwrite ? rename(draft, file) : renameToNew(draft, file))
  } catch (error) {
    if (error instanceof PlatformError) throw error
    const { code = '' } = error as NodeJS.ErrnoException
    throw code === 'EEXIST' ? isThereAlready(file) : notWritten(file, WHY[code] ?? String(error))
  } finally {
    await rm(draft, { force: true }).catch(() => undefined)
  }
}

/** A link, unlike a rename, spares a file that came there meanwhile. */
async function renameToNew(draft: string, file: string): Promise<void> {
  await link(draft, file).catch((failure: NodeJS.ErrnoException) => {
    if (failure.code === 'EEXIST') throw failure
    // Some disks know no links.
    return rename(draft, file)
  })
}

const whatIsThere = (isFolder: boolean) =>
  isFolder ? 'it is a folder' : 'it is there, and is not a plain file'

const WHY: Readonly<Record<string, string>> = {
  EACCES: 'access is denied',
  ENAMETOOLONG: 'its name is too long',
  ENOENT: 'its folder is not there',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'its folder is not a folder',
  EPERM: 'access is denied',
  EROFS: 'its disk can only be read',
}

const isThereAlready = (file: string) =>
  new PlatformError('validation', {
    message: `${file} is there already, and was not written over.`,
    mend: 'Name another file, or add --force.',
    reason: 'exists',
  })

const notWritten = (file: string, why: string) =>
  new PlatformError('validation', {
    message: `The session cannot be written to ${file}: ${why}.`,
    mend: 'Name another file with -o.',
  })

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
