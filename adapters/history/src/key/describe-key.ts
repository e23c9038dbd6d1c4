import { PlatformError } from '@parley/contracts'
import { withHistoryLock } from '../file/history-lock.ts'
import {
  type HistoryOptions,
  type HistoryPlace,
  withHistoryPlace,
  historyExists,
} from '../file/history-place.ts'
import { openFile } from '../file/open-file.ts'
import { type HistoryKey, findKeys, toKeyFilePath } from './history-key.ts'
import { type KeySince, readKeyChecks } from './key-check.ts'

export interface KeyReport {
  readonly history: string
  /** The place of the key without a keychain. */
  readonly keyFile: string
  readonly state: 'no history yet' | 'opens' | 'does not open'
  /** Its kind and place, never the key itself. */
  readonly key?: Pick<HistoryKey, 'place' | 'where'> & { readonly kind: 'raw' | 'passphrase' }
  readonly since?: KeySince
  /** Why it does not open. */
  readonly failure?: PlatformError
}

/** Reports the place of the key, whether it opens the history, and since when it is in use. */
export function describeKey(options: HistoryOptions): Promise<KeyReport> {
  return withHistoryPlace(options, { makeFolder: false }, async (place) => {
    const { path } = place
    if (!(await historyExists(path))) {
      return { ...toReportPaths(place), state: 'no history yet', ...(await findFirstKey(place)) }
    }
    return withHistoryLock(path, 'shared', () => describeExisting(place))
  })
}

async function describeExisting(place: HistoryPlace): Promise<KeyReport> {
  const names = toReportPaths(place)
  try {
    const { database, key } = await openFile(place)
    database.close()
    const [check] = await readKeyChecks(place.path)
    return { ...names, state: 'opens', key: withoutSecret(key), ...(check?.since && { since: check.since }) }
  } catch (failure) {
    if (!(failure instanceof PlatformError) || failure.code !== 'history_key_wrong') throw failure
    return { ...names, state: 'does not open', ...(await findFirstKey(place).catch(() => ({}))), failure }
  }
}

async function findFirstKey({ sources }: HistoryPlace): Promise<Pick<KeyReport, 'key'>> {
  const search = await findKeys(sources)
  return search.kind === 'found' ? { key: withoutSecret(search.keys[0]) } : {}
}

const toReportPaths = ({ path, sources }: HistoryPlace) => ({
  history: path,
  keyFile: toKeyFilePath(sources.folder),
})

const withoutSecret = ({ place, where, secret }: HistoryKey) => ({ place, where, kind: secret.kind })
