import { readdir } from 'node:fs/promises'
import { type SessionId, nearest } from '@parley/contracts'
import { type Refusal, type Secret, type ToolSession, maskSecrets, refuse } from '@parley/engine'
import { openFolder } from './open-folder.ts'
import type { Place, Scope } from './open-scope.ts'
import { printablePath } from './paths.ts'

/** What the file tools of one session share. */
export interface FileHost {
  readonly session: Pick<ToolSession, 'readMedia'>
  readonly seen: SeenFiles
  readonly hidden: HiddenValues
  /** Opened anew for each call: folders come and go while a session lasts. */
  openScope(): Promise<Scope | Refusal>
}

/** What is read or compared of one file, at most. */
export const MOST_BYTES = 10_000_000

/** What must not be shown of files. A part of a value tells of it too, so texts are masked before they are cut. */
export interface HiddenValues {
  readonly mask: (text: string) => string
  /** Whether bytes that are shown as they are, such as a picture, hold a value. */
  readonly isIn: (bytes: Uint8Array) => boolean
}

export const hiddenValues = (secrets: () => readonly Secret[]): HiddenValues => ({
  mask: (text) => maskSecrets(text, secrets()),
  isIn(bytes) {
    const text = Buffer.from(bytes).toString('latin1')
    // Documents often hold texts in UTF-16, which for most letters is a zero and the letter.
    return [text, text.replaceAll('\0', '')].some(
      (each) => maskSecrets(each, secrets().map(inBytes)) !== each,
    )
  },
})

const inBytes = ({ name, value, otherForms = [] }: Secret): Secret => ({
  name,
  value: asBytes(value),
  otherForms: otherForms.map(asBytes),
})

const asBytes = (text: string): string => Buffer.from(text, 'utf8').toString('latin1')

/** What a session's model knows of files: the hash of what it was given or wrote, by real path. */
interface SeenFiles {
  hashOf(path: string): string | undefined
  saw(path: string, hash: string): void
}

const MOST_SESSIONS = 500
const MOST_FILES = 2_000

const sessions = new Map<SessionId, Map<string, string>>()

/** Kept as long as the process runs; of many sessions and files, those used least lately are forgotten. */
export function seenFiles(sessionId: SessionId): SeenFiles {
  return {
    hashOf: (path) => sessions.get(sessionId)?.get(path),
    saw(path, hash) {
      const files = sessions.get(sessionId) ?? new Map<string, string>()
      putLast(files, path, hash, MOST_FILES)
      putLast(sessions, sessionId, files, MOST_SESSIONS)
    },
  }
}

function putLast<Key, Value>(map: Map<Key, Value>, key: Key, value: Value, most: number): void {
  map.delete(key)
  map.set(key, value)
  const [oldest] = map.keys()
  if (map.size > most && oldest !== undefined) map.delete(oldest)
}

/** Says that a path does not exist, and which one may have been meant. */
export async function noSuchFile(
  scope: Scope,
  { shown, folder, missing: [name = ''] }: Place,
): Promise<Refusal> {
  const names = await namesIn(folder)
  const meant = nearest(name, names.slice(0, MOST_NAMES))
  const hint =
    meant === undefined ? '' : ` ${printablePath(meant)} is in ${scope.shown(folder)}: was that meant?`
  return refuse(`${shown} does not exist.${hint}`, 'tool_failed', shown)
}

const MOST_NAMES = 500

async function namesIn(path: string): Promise<readonly string[]> {
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
