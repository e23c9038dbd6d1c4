import type { SessionId } from '@parley/contracts'

/** What a session's model knows of files: the hash of what it was given or wrote, by real path. */
export interface SeenFiles {
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
