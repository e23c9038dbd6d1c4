import { readdir } from 'node:fs/promises'
import { type SessionId, findNearest } from '@parley/contracts'
import {
  type ToolCallRefusal,
  type Secret,
  type ToolSession,
  maskSecrets,
  createToolCallRefusal,
} from '@parley/engine'
import { openFolder } from './open-folder.ts'
import type { ResolvedPath, FileScope } from './open-scope.ts'
import { toPrintablePath } from './paths.ts'

/** The state that the file tools of one session share. */
export interface FileHost {
  readonly session: Pick<ToolSession, 'readMedia'>
  readonly seenFiles: SeenFiles
  readonly hidden: HiddenValues
  /** Opened again for each call: folders come and go during a session. */
  openScope(): Promise<FileScope | ToolCallRefusal>
}

/** The largest file that is read or compared. */
export const MAX_FILE_BYTES = 10_000_000

/** Secret values in files. Parts of a value reveal it too, so texts are masked before they are cut. */
export interface HiddenValues {
  readonly mask: (text: string) => string
  /** Whether unmasked bytes, such as a picture, contain a value. */
  readonly areIn: (bytes: Uint8Array) => boolean
}

export const createHiddenValues = (secrets: () => readonly Secret[]): HiddenValues => ({
  mask: (text) => maskSecrets(text, secrets()),
  areIn(bytes) {
    const text = Buffer.from(bytes).toString('latin1')
    // Documents often contain UTF-16, which for most letters is the letter and a zero byte.
    return [text, text.replaceAll('\0', '')].some(
      (each) => maskSecrets(each, secrets().map(toSecretInBytes)) !== each,
    )
  },
})

const toSecretInBytes = ({ name, value, otherForms = [] }: Secret): Secret => ({
  name,
  value: toByteString(value),
  otherForms: otherForms.map(toByteString),
})

const toByteString = (text: string): string => Buffer.from(text, 'utf8').toString('latin1')

/** The file versions that a session's model has seen or written: hashes by real path. */
interface SeenFiles {
  findHash(path: string): string | undefined
  recordHash(path: string, hash: string): void
}

const MAX_SESSIONS = 500
const MAX_FILES = 2_000

const sessions = new Map<SessionId, Map<string, string>>()

/** Kept in memory; the least recently used sessions and files are dropped. */
export function openSeenFiles(sessionId: SessionId): SeenFiles {
  return {
    findHash: (path) => sessions.get(sessionId)?.get(path),
    recordHash(path, hash) {
      const files = sessions.get(sessionId) ?? new Map<string, string>()
      putLast(files, path, hash, MAX_FILES)
      putLast(sessions, sessionId, files, MAX_SESSIONS)
    },
  }
}

function putLast<Key, Value>(map: Map<Key, Value>, key: Key, value: Value, most: number): void {
  map.delete(key)
  map.set(key, value)
  const [oldest] = map.keys()
  if (map.size > most && oldest !== undefined) map.delete(oldest)
}

/** Reports a missing path, and suggests a similar one. */
export async function refuseMissingFile(
  scope: FileScope,
  { shown, folder, missing: [name = ''] }: ResolvedPath,
): Promise<ToolCallRefusal> {
  const names = await listNames(folder)
  const meant = findNearest(name, names.slice(0, MAX_NAMES))
  const hint =
    meant === undefined
      ? ''
      : ` ${toPrintablePath(meant)} is in ${scope.toShownPath(folder)}: did you mean that?`
  return createToolCallRefusal(`${shown} does not exist.${hint}`, 'tool_failed', shown)
}

const MAX_NAMES = 500

async function listNames(path: string): Promise<readonly string[]> {
  try {
    const folder = await openFolder(path)
    try {
      return await readdir(folder.at())
    } finally {
      await folder.close()
    }
  } catch {
    return []
  }
}
