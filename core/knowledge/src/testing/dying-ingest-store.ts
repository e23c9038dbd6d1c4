import type { IngestStore } from '../ports/ingest-store.ts'

/** A store whose process dies right before, or right after, its n-th write. */
export function dyingIngestStore(store: IngestStore, writes: number, when: 'before' | 'after'): IngestStore {
  let left = writes
  const write = async <Written>(carryOut: () => Promise<Written>): Promise<Written> => {
    left -= 1
    if (left < 0 || (left === 0 && when === 'before')) throw new Error('killed')
    const written = await carryOut()
    if (left === 0) throw new Error('killed')
    return written
  }
  return {
    ...store,
    saveText: (...given) => write(() => store.saveText(...given)),
    saveChunks: (...given) => write(() => store.saveChunks(...given)),
    savePatch: (...given) => write(() => store.savePatch(...given)),
    saveEvaluation: (...given) => write(() => store.saveEvaluation(...given)),
    apply: (...given) => write(() => store.apply(...given)),
    fail: (...given) => write(() => store.fail(...given)),
    notePhase: (...given) => write(() => store.notePhase(...given)),
  }
}
