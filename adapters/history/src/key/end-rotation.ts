import { rm } from 'node:fs/promises'
import type { HistoryKey, Keys, KeySources } from './history-key.ts'
import { keepKeys } from './keep-keys.ts'
import { isOf, type KeyCheck, newKeyCheck, readKeyChecks, writeKeyChecks } from './key-check.ts'

/** Where the history is written anew with another key. */
export const draftOf = (historyFile: string) => `${historyFile}.next`

interface Opened {
  readonly path: string
  /** Where its bytes are, behind any link. */
  readonly file: string
  /** What opens it. */
  readonly key: HistoryKey
}

/**
 * Ends a rotation, one that was broken off too: what opens the history is its key, and the rest is forgotten. The
 * checks come last, since a second one among them is the sign that there is something to end.
 */
export async function endRotation(
  { path, file, key }: Opened,
  sources: KeySources,
  found: Keys,
): Promise<void> {
  const checks = await readKeyChecks(path)
  if (checks.length === 1 && found.length === 1) return
  await removeDraft(file)
  if (found.length > 1) await keepKeys(sources, [key])
  await writeKeyChecks(path, [await checkAmong(checks, key)])
}

/** With what SQLite may have put beside it. */
export async function removeDraft(historyFile: string): Promise<void> {
  for (const suffix of ['', '-journal']) await rm(`${draftOf(historyFile)}${suffix}`, { force: true })
}

/** Its own, which knows since when the history has the key. */
async function checkAmong(checks: readonly KeyCheck[], key: HistoryKey): Promise<KeyCheck> {
  for (const check of checks) if (await isOf(check, key)) return check
  return newKeyCheck(key)
}
