import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { link, open, rename, unlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { FILE_HEADERS_ONLY, createTwoFilesPatch } from 'diff'
import type { Preview } from '@parley/contracts'
import type { ToolCallPlan } from '@parley/engine'
import { type FileHost, MAX_FILE_BYTES } from './file-host.ts'
import { type OpenFolder, isStillAt, openSubfolder, openFolder } from './open-folder.ts'
import type { ResolvedPath, FileScope } from './open-scope.ts'
import { getSystemErrorCode } from './paths.ts'
import { type ReadBytesResult, readBytes, sha256 } from './read-bytes.ts'
import { decodeFile } from './decode-file.ts'

/** A file before its change. */
export type FileBefore = Extract<ReadBytesResult, { kind: 'read' }> & { readonly hash: string }

interface FileChange {
  readonly scope: FileScope
  readonly place: ResolvedPath
  /** Undefined for a new file. */
  readonly before: FileBefore | undefined
  readonly after: Uint8Array
  /** The result for the model. */
  readonly done: string
}

/** Plans a file change that a person approves; it applies only to the version that they saw. */
export function planChange(
  { scope, place, before, after, done }: FileChange,
  { seenFiles }: FileHost,
): ToolCallPlan {
  const hash = sha256(after)
  if (before?.hash === hash) {
    return {
      kind: 'plan',
      target: place.shown,
      async carryOut() {
        seenFiles.recordHash(place.path, hash)
        return { kind: 'ok', text: `${place.shown} already has this content; nothing was changed.` }
      },
    }
  }
  return {
    kind: 'plan',
    target: place.shown,
    approval: {
      preview: createDiffPreview(place.shown, before?.bytes, after),
      state: `${before?.hash ?? 'absent'}:${hash}`,
      forSession: {},
    },
    async carryOut(signal) {
      await replaceFile(scope, place, {
        bytes: after,
        mode: before?.stat.mode,
        checkUnchanged: () => checkFileUnchanged(scope, place, before, signal),
      })
      seenFiles.recordHash(place.path, hash)
      return { kind: 'ok', text: done }
    },
  }
}

async function checkFileUnchanged(
  scope: FileScope,
  place: ResolvedPath,
  before: FileBefore | undefined,
  signal: AbortSignal,
) {
  signal.throwIfAborted()
  const now = await readBytes(scope, place.path, MAX_FILE_BYTES, signal)
  const isSame = before ? now.kind === 'read' && sha256(now.bytes) === before.hash : now.kind === 'absent'
  if (!isSame)
    throw new Error(`${place.shown} was changed by someone else, so it was left as it is. Read it again.`)
}

/** The preview of a change: a diff if both sides are text. */
export function createDiffPreview(shown: string, before: Uint8Array | undefined, after: Uint8Array): Preview {
  const old = before && decodeFile(before)
  const now = decodeFile(after)
  if (now.kind === 'binary' || old?.kind === 'binary')
    return {
      kind: 'text',
      text: `${shown}: ${before?.length ?? 0} bytes, not all of them text, are replaced by ${after.length} bytes${now.kind === 'text' ? `:\n${now.text}` : '.'}`,
    }
  const patch = createTwoFilesPatch(
    old ? `a/${shown}` : '/dev/null',
    `b/${shown}`,
    old?.text ?? '',
    now.text,
    undefined,
    undefined,
    { context: 3, timeout: MAX_DIFF_MS, headerOptions: FILE_HEADERS_ONLY },
  )
  if (patch === undefined) return { kind: 'text', text: `All of ${shown} is replaced by:\n${now.text}` }
  const encoding =
    old && old.encoding !== now.encoding ? `${shown} was ${old.encoding}, and becomes ${now.encoding}.\n` : ''
  return { kind: 'diff', text: encoding + patch }
}

const MAX_DIFF_MS = 500

interface FileReplacement {
  readonly bytes: Uint8Array
  /** The mode of the replaced file; undefined for a new file, which must still not exist. */
  readonly mode: number | undefined
  /** Called right before the file is put in place; throws if that is no longer right. */
  readonly checkUnchanged: () => Promise<void>
}

/** Puts a file in place atomically, in the folder that was checked. */
async function replaceFile(
  scope: FileScope,
  place: ResolvedPath,
  replacement: FileReplacement,
): Promise<void> {
  const forbidden = scope.findRefusal(place.path, 'write')
  if (forbidden !== undefined) throw new Error(`${place.shown} ${forbidden}.`)
  const folder = await openTargetFolder(place)
  try {
    await putFile(folder, basename(place.path), replacement)
  } finally {
    await folder.close()
  }
}

async function openTargetFolder({ path, folder, missing }: ResolvedPath): Promise<OpenFolder> {
  let at = await openFolder(missing.length === 0 ? dirname(path) : folder)
  for (const name of missing.slice(0, -1)) {
    const above = at
    try {
      at = await openSubfolder(above, name)
    } finally {
      await above.close()
    }
  }
  return at
}

async function putFile(
  folder: OpenFolder,
  name: string,
  { bytes, mode, checkUnchanged }: FileReplacement,
): Promise<void> {
  await folder.check()
  const temporaryName = `.${randomBytes(9).toString('hex')}.parley-tmp`
  const temporary = folder.at(temporaryName)
  const file = await open(temporary, NEW_FILE_FLAGS, mode === undefined ? 0o644 : 0o600)
  try {
    try {
      // Without open folder handles a file may land elsewhere; it then stays empty.
      if (!(await isStillAt(file, join(folder.path, temporaryName)))) throw folder.createReplacedError()
      await file.writeFile(bytes)
      if (mode !== undefined) await file.chmod(mode & 0o777)
      await file.sync()
    } finally {
      await file.close()
    }
    await checkUnchanged()
    await folder.check()
    await (mode === undefined ? putNewFile(temporary, folder.at(name)) : rename(temporary, folder.at(name)))
  } catch (failure) {
    await unlink(temporary).catch(() => undefined)
    throw failure
  }
  await folder.sync()
}

const NEW_FILE_FLAGS = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW

/** link() fails if the name is taken by now; rename() would overwrite it. */
async function putNewFile(temporary: string, path: string): Promise<void> {
  try {
    await link(temporary, path)
  } catch (failure) {
    if (!WITHOUT_LINKS.includes(getSystemErrorCode(failure))) throw failure
    return rename(temporary, path)
  }
  await unlink(temporary)
}

const WITHOUT_LINKS = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']
