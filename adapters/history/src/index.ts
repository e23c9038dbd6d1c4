/** The encrypted store of local sessions. */
export { takeFileLock } from './file/file-lock.ts'
export type { HistoryOptions } from './file/history-place.ts'
export { readKeyToBackUp, writeBackUp } from './key/back-up-key.ts'
export { describeKey, type KeyReport } from './key/describe-key.ts'
export type { Keychain } from './key/keychain.ts'
export { restoreKey } from './key/restore-key.ts'
export { rotateKey } from './key/rotate-key.ts'
export { type History, openHistory } from './open-history.ts'
