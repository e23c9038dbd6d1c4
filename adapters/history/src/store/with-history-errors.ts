import type { SessionStore } from '@parley/engine'
import { historyError } from '../file/history-error.ts'

/** The same store, whose failures say what happened to the file and how to mend it. */
export function withHistoryErrors(store: SessionStore, path: string): SessionStore {
  const told = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work
    } catch (error) {
      throw historyError(error, path)
    }
  }
  return {
    create: (...given) => told(store.create(...given)),
    find: (...given) => told(store.find(...given)),
    list: (...given) => told(store.list(...given)),
    rename: (...given) => told(store.rename(...given)),
    end: (...given) => told(store.end(...given)),
    remove: (...given) => told(store.remove(...given)),
    begin: (...given) => told(store.begin(...given)),
    findOpening: (...given) => told(store.findOpening(...given)),
    append: (...given) => told(store.append(...given)),
    takeOver: (...given) => told(store.takeOver(...given)),
    giveUp: (lease) => store.giveUp(lease),
    listInterrupted: (...given) => told(store.listInterrupted(...given)),
    askToCancel: (...given) => told(store.askToCancel(...given)),
    watchCancel: (...given) => store.watchCancel(...given),
    note: (...given) => told(store.note(...given)),
    readMessages: (...given) => told(store.readMessages(...given)),
    readTail: (...given) => told(store.readTail(...given)),
    handleOf: (bytes) => store.handleOf(bytes),
    getMedia: (...given) => told(store.getMedia(...given)),
    findOpeningEvent: (...given) => told(store.findOpeningEvent(...given)),
    readEvents: (...given) => told(store.readEvents(...given)),
  }
}
