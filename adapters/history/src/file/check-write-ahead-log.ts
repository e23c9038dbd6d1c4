import { readFile } from 'node:fs/promises'
import { damaged } from './history-error.ts'
import { isOpenHere } from './open-here.ts'
import { readLogIndex } from './read-log-index.ts'
import { lookAtLog } from './write-ahead-log.ts'

type Trouble =
  | { readonly kind: 'broken'; readonly at: number }
  | { readonly kind: 'incomplete end' }
  | { readonly kind: 'gone' }

/**
 * SQLite takes its log to end where a checksum fails, and writes over what follows. For a last transaction that nobody
 * was told of that is right: power was lost while it was written. Behind any other place kept words would be lost.
 */
export async function checkWriteAheadLog(
  historyPath: string,
  historyFile: string,
  onNotice: (text: string) => void,
): Promise<void> {
  const path = `${historyFile}-wal`
  const trouble = await troubleIn(historyPath, historyFile)
  // A log that another process is writing may look broken once, but not twice in the same way.
  if (!trouble || !isSame(trouble, await troubleIn(historyPath, historyFile))) return
  if (trouble.kind === 'broken') {
    throw damaged(
      historyPath,
      `its log ${path} is broken at byte ${trouble.at}, and holds things that were kept`,
      {
        mend: 'Restore both from a copy; or move the log away, and all but what was said last can be opened',
      },
    )
  }
  onNotice(
    trouble.kind === 'gone'
      ? `The log ${path} of what was last written to the history is gone or empty. What was said last may be missing; all else is there.`
      : `The last write to the log ${path} of the history was incomplete, as after a loss of power, and is left out. All that was written before is there.`,
  )
}

async function troubleIn(historyPath: string, historyFile: string): Promise<Trouble | undefined> {
  // First, since the log may only have grown when it is read after it.
  const isHere = isOpenHere(historyPath)
  const index = isHere ? undefined : readLogIndex(`${historyFile}-shm`)
  const log = lookAtLog(await readLog(`${historyFile}-wal`))
  if (log.kind === 'empty') return index && index.frames > index.moved ? { kind: 'gone' } : undefined
  if (log.kind === 'headless') return { kind: 'broken', at: 0 }
  const { salt, wholeFrames, wholeBytes, commitsBehind, endsBroken } = log
  const noted = index?.salt === salt ? index.frames : undefined
  if (commitsBehind > 1 || (noted ?? 0) > wholeFrames) return { kind: 'broken', at: wholeBytes }
  return endsBroken && noted === undefined && !isHere ? { kind: 'incomplete end' } : undefined
}

function isSame(one: Trouble, other: Trouble | undefined): boolean {
  if (one.kind !== 'broken' || other?.kind !== 'broken') return one.kind === other?.kind
  return one.at === other.at
}

async function readLog(path: string): Promise<DataView> {
  try {
    const log = await readFile(path)
    return new DataView(log.buffer, log.byteOffset, log.byteLength)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return new DataView(new ArrayBuffer(0))
    throw error
  }
}
