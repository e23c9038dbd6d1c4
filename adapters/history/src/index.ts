/** The encrypted store of local sessions. */
export { takeFileLock } from './file/history-lock.ts'
export type { HistoryOptions } from './file/history-place.ts'
export { readKeyToBackUp, restoreKey, writeBackUp } from './key/restore-key.ts'
export { describeKey, type KeyReport } from './key/describe-key.ts'
export type { Keychain } from './key/history-key.ts'
export { rotateKey } from './key/rotate-key.ts'
export { type History, openHistory } from './open-history.ts'
export { toKnownSecret } from './secrets/known-secrets.ts'
