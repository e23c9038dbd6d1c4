import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { link, open, rename, unlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { FILE_HEADERS_ONLY, createTwoFilesPatch } from 'diff'
import type { Preview } from '@parley/contracts'
import type { Plan } from '@parley/engine'
import { type FileHost, MOST_BYTES } from './file-host.ts'
import { type OpenFolder, isStillAt, makeFolder, openFolder } from './open-folder.ts'
import type { Place, Scope } from './open-scope.ts'
import { errorCodeOf } from './paths.ts'
import { type ReadBytes, readBytes, sha256 } from './read-bytes.ts'
import { decodeText } from './file-content.ts'

/** A file as it was found before it is changed. */
export type Before = Extract<ReadBytes, { kind: 'read' }> & { readonly hash: string }

interface Change {
  readonly scope: Scope
  readonly place: Place
  /** Undefined where the file is new. */
  readonly before: Before | undefined
  readonly after: Uint8Array
  /** What the model is told once it is done. */
  readonly done: string
}

/** A change of one file that a person is asked about, and which is made only to the file that they were shown. */
export function planChange({ scope, place, before, after, done }: Change, { seen }: FileHost): Plan {
  const hash = sha256(after)
  if (before?.hash === hash) {
    return {
      kind: 'plan',
      target: place.shown,
      async carryOut() {
        seen.saw(place.path, hash)
        return { kind: 'ok', text: `${place.shown} holds exactly this already; nothing was changed.` }
      },
    }
  }
  return {
    kind: 'plan',
    target: place.shown,
    question: {
      preview: diffPreview(place.shown, before?.bytes, after),
      state: `${before?.hash ?? 'absent'}:${hash}`,
      forSession: {},
    },
    async carryOut(signal) {
      await replaceFile(scope, place, {
        bytes: after,
        mode: before?.stat.mode,
        isDue: () => expectUnchanged(scope, place, before, signal),
      })
      seen.saw(place.path, hash)
      return { kind: 'ok', text: done }
    },
  }
}

async function expectUnchanged(scope: Scope, place: Place, before: Before | undefined, signal: AbortSignal) {
  signal.throwIfAborted()
  const now = await readBytes(scope, place.path, MOST_BYTES, signal)
  const isSame = before ? now.kind === 'read' && sha256(now.bytes) === before.hash : now.kind === 'absent'
  if (!isSame)
    throw new Error(
      `${place.shown} was changed meanwhile by someone else, so it was left as it is. Read it again.`,
    )
}

/** A change as a person is shown it: line by line where both sides are text. */
export function diffPreview(shown: string, before: Uint8Array | undefined, after: Uint8Array): Preview {
  const old = before && decodeText(before)
  const now = decodeText(after)
  if (now.kind === 'binary' || old?.kind === 'binary')
    return {
      kind: 'text',
      text: `${shown}: ${before?.length ?? 0} bytes, of which not all are text, are replaced by ${after.length} bytes${now.kind === 'text' ? `:\n${now.text}` : '.'}`,
    }
  const patch = createTwoFilesPatch(
    old ? `a/${shown}` : '/dev/null',
    `b/${shown}`,
    old?.text ?? '',
    now.text,
    undefined,
    undefined,
    { context: 3, timeout: LONGEST_MS, headerOptions: FILE_HEADERS_ONLY },
  )
  if (patch === undefined) return { kind: 'text', text: `All of ${shown} is replaced by:\n${now.text}` }
  const encoding =
    old && old.encoding !== now.encoding ? `${shown} was ${old.encoding}, and becomes ${now.encoding}.\n` : ''
  return { kind: 'diff', text: encoding + patch }
}

const LONGEST_MS = 500

interface Replacement {
  readonly bytes: Uint8Array
  /** Of the file that is replaced; undefined where there was none, and there must be none still. */
  readonly mode: number | undefined
  /** Called last before the file is put in place; throws where it is no longer to be. */
  readonly isDue: () => Promise<void>
}

/** Puts a file in place as a whole, or not at all, in the very folder that was checked. */
async function replaceFile(scope: Scope, place: Place, replacement: Replacement): Promise<void> {
  const forbidden = scope.forbids(place.path, 'write')
  if (forbidden !== undefined) throw new Error(`${place.shown} ${forbidden}.`)
  const folder = await folderFor(place)
  try {
    await putInto(folder, basename(place.path), replacement)
  } finally {
    await folder.close()
  }
}

async function folderFor({ path, folder, missing }: Place): Promise<OpenFolder> {
  let at = await openFolder(missing.length === 0 ? dirname(path) : folder)
  for (const name of missing.slice(0, -1)) {
    const above = at
    try {
      at = await makeFolder(above, name)
    } finally {
      await above.close()
    }
  }
  return at
}

async function putInto(folder: OpenFolder, name: string, { bytes, mode, isDue }: Replacement): Promise<void> {
  await folder.check()
  const temporaryName = `.${randomBytes(9).toString('hex')}.parley-tmp`
  const temporary = folder.at(temporaryName)
  const file = await open(temporary, NEW, mode === undefined ? 0o644 : 0o600)
  try {
    try {
      // Where folders cannot be held open, a file may be made elsewhere; it stays empty then.
      if (!(await isStillAt(file, join(folder.path, temporaryName)))) throw folder.replaced()
      await file.writeFile(bytes)
      if (mode !== undefined) await file.chmod(mode & 0o777)
      await file.sync()
    } finally {
      await file.close()
    }
    await isDue()
    await folder.check()
    await (mode === undefined ? putNew(temporary, folder.at(name)) : rename(temporary, folder.at(name)))
  } catch (failure) {
    await unlink(temporary).catch(() => undefined)
    throw failure
  }
  await folder.sync()
}

const NEW = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW

/** A link is refused where the name is taken by now; renaming would replace what took it. */
async function putNew(temporary: string, path: string): Promise<void> {
  try {
    await link(temporary, path)
  } catch (failure) {
    if (!WITHOUT_LINKS.includes(errorCodeOf(failure))) throw failure
    return rename(temporary, path)
  }
  await unlink(temporary)
}

const WITHOUT_LINKS = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']
