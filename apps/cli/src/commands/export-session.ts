import { randomBytes } from 'node:crypto'
import { link, lstat, rename, rm, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { z } from 'zod'
import { PlatformError, type SessionId } from '@parley/contracts'
import type { Sessions } from '@parley/engine'
import { EXIT, type ExitCode } from '../exit-code.ts'
import { toJsonLine, writeTo } from '../render/output.ts'
import { type NamedSession, withNamedSession } from '../session/find-session.ts'
import { formatCount } from '../render/text.ts'
import { type CommandCall, parseOptions, printResult } from './command.ts'

const ExportOptions = z.object({
  output: z.string().min(1, 'needs the name of a file').default('-'),
  force: z.boolean().default(false),
})

export function runExport(call: CommandCall): Promise<ExitCode> {
  const { io, json, options } = call
  const { output, force } = parseOptions(ExportOptions, options)
  return withNamedSession(call, async (session) => {
    const { workflow, yaml } = await session.exportWorkflow()
    const turns = workflow.nodes.filter(({ type }) => type === 'agent').length
    const figures = { nodes: workflow.nodes.length, turns, bytes: Buffer.byteLength(yaml) }
    if (output === '-') {
      await writeTo(io.stdout, json ? toJsonLine({ ...figures, yaml }) : yaml)
      await recordExport(session)
      return EXIT.done
    }
    const file = resolve(output)
    await writeExport(file, yaml, { overwrite: force })
    await recordExport(session)
    return printResult(call, { file, ...figures }, `${formatCount(turns, 'turn')} written to ${file}.`)
  })
}

/** A failure to record the export, such as on a read-only disk, does not fail it. */
async function recordExport(session: NamedSession): Promise<void> {
  await session.recordExport().catch((failure: unknown) => {
    if (!(failure instanceof PlatformError)) throw failure
  })
}

/** Writes atomically, readable by the owner only; overwrites only on request. */
export async function writeExport(
  file: string,
  text: string,
  { overwrite }: { readonly overwrite: boolean },
): Promise<void> {
  const draft = join(dirname(file), `.${basename(file).slice(0, 100)}.${randomBytes(6).toString('hex')}`)
  try {
    const stats = await lstat(file).catch(() => undefined)
    if (stats && !stats.isFile()) {
      const kind = stats.isDirectory() ? 'it is a folder' : 'it exists and is not a regular file'
      throw createNotWrittenError(file, kind)
    }
    if (stats && !overwrite) throw createAlreadyExistsError(file)
    await writeFile(draft, text, { mode: 0o600, flag: 'wx', flush: true })
    await (overwrite ? rename(draft, file) : renameToNew(draft, file))
  } catch (error) {
    if (error instanceof PlatformError) throw error
    const { code = '' } = error as NodeJS.ErrnoException
    throw code === 'EEXIST'
      ? createAlreadyExistsError(file)
      : createNotWrittenError(file, REASONS[code] ?? String(error))
  } finally {
    await rm(draft, { force: true }).catch(() => undefined)
  }
}

/** A link, unlike a rename, never overwrites a file. */
async function renameToNew(draft: string, file: string): Promise<void> {
  await link(draft, file).catch((failure: NodeJS.ErrnoException) => {
    if (failure.code === 'EEXIST') throw failure
    // Some file systems have no links.
    return rename(draft, file)
  })
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'access is denied',
  ENAMETOOLONG: 'its name is too long',
  ENOENT: 'its folder does not exist',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'its parent is not a folder',
  EPERM: 'access is denied',
  EROFS: 'its disk is read-only',
}

const createAlreadyExistsError = (file: string) =>
  new PlatformError('validation', {
    message: `${file} already exists and was not overwritten.`,
    fix: 'Name another file, or add --force.',
    reason: 'exists',
  })

const createNotWrittenError = (file: string, reason: string) =>
  new PlatformError('validation', {
    message: `The session cannot be written to ${file}: ${reason}.`,
    fix: 'Name another file with -o.',
  })

interface ExportTarget {
  readonly workingDir: string
  /** Without a path, a free name is chosen. */
  readonly path: string | undefined
}

const MAX_NAMES = 1_000

export async function exportToNewFile(
  sessions: Pick<Sessions, 'exportSession'>,
  sessionId: SessionId,
  { workingDir, path }: ExportTarget,
): Promise<{ readonly path: string }> {
  const { workflow, yaml } = await sessions.exportSession(sessionId)
  const write = async (file: string) => {
    await writeExport(file, yaml, { overwrite: false })
    return { path: file }
  }
  if (path !== undefined)
    return write(resolve(workingDir, path.replace(/^~(?=\/)/, homedir()))).catch(suggestOtherName)
  for (let count = 1; ; count += 1) {
    const file = join(workingDir, `${workflow.id}${count === 1 ? '' : `-${count}`}.relavium.yaml`)
    try {
      return await write(file)
    } catch (failure) {
      if (!isTaken(failure) || count === MAX_NAMES) throw failure
    }
  }
}

const isTaken = (failure: unknown): boolean =>
  failure instanceof PlatformError && failure.detail['reason'] === 'exists'

/** The hint for the prompt, where options do not exist. */
function suggestOtherName(failure: unknown): never {
  if (!(failure instanceof PlatformError)) throw failure
  const fix = 'Name another file, as in /export talk.yaml; /export alone picks a free name.'
  throw new PlatformError(failure.code, { ...failure.detail, fix }, { cause: failure })
}
