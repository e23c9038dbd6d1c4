import { lockHistory } from '../file/history-lock.ts'
import { atHistory, type HistoryOptions, mustBeThere } from '../file/history-place.ts'
import { openWith } from '../file/open-file.ts'
import { keyInBackUp } from './back-up-key.ts'
import type { HistoryKey, KeyPlace } from './history-key.ts'
import { putKey } from './keep-keys.ts'
import { isOf, newKeyCheck, readKeyChecks, writeKeyChecks } from './key-check.ts'

interface RestoreOptions extends HistoryOptions {
  /** The back-up's text, and the name of its file. */
  readonly text: string
  readonly file: string
}

interface Restored {
  readonly history: string
  readonly keyPlace: KeyPlace
  /** The place in words. */
  readonly where: string
}

/** Puts a key that was backed up where it is found from now on, if it opens the history; else nothing is changed. */
export function restoreKey({ text, file, ...options }: RestoreOptions): Promise<Restored> {
  return atHistory(options, { makeFolder: false }, async ({ path, sources }) => {
    const hex = keyInBackUp(text, file)
    await mustBeThere(path)
    const lock = await lockHistory(path, async () => 'shared')
    try {
      const key: HistoryKey = { place: 'back-up', where: `the file ${file}`, secret: { kind: 'raw', hex } }
      const { database } = await openWith(path, sources, [key])
      database.close()
      const { place, where } = await putKey(sources, hex)
      const [check] = await readKeyChecks(path)
      // Those of a history that was put back with its key are those of another key.
      if (check && !(await isOf(check, key))) await writeKeyChecks(path, [await newKeyCheck(key)])
      return { history: path, keyPlace: place, where }
    } finally {
      lock.release()
    }
  })
}
