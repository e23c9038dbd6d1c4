/** The encrypted store of local sessions. */
export { takeFileLock } from './file/file-lock.ts'
export { type History, type HistoryOptions, openHistory } from './open-history.ts'
export type { Keychain } from './key/keychain.ts'
