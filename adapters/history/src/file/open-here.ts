import type Database from 'better-sqlite3-multiple-ciphers'

const opened = new Map<string, Database[]>()

export function noteOpen(path: string, database: Database): void {
  opened.set(path, [...openAt(path), database])
}

/** Whether this process has the history open. To read SQLite's index of the log would then undo SQLite's locks on it. */
export const isOpenHere = (path: string): boolean => openAt(path).length > 0

const openAt = (path: string): readonly Database[] => (opened.get(path) ?? []).filter(({ open }) => open)
