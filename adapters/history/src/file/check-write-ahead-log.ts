import { closeSync, openSync, readSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { endianness } from 'node:os'
import { createDamagedError } from './history-error.ts'
import { isOpenHere } from './connect.ts'

type LogProblem =
  | { readonly kind: 'broken'; readonly at: number }
  | { readonly kind: 'incomplete end' }
  | { readonly kind: 'gone' }

/**
 * SQLite ends its log at the first wrong checksum and overwrites the rest. That is right for an unfinished last
 * transaction, after a power loss. Anywhere else, stored messages would be lost.
 */
export async function checkWriteAheadLog(
  historyPath: string,
  historyFile: string,
  onNotice: (text: string) => void,
): Promise<void> {
  const path = `${historyFile}-wal`
  const problem = await findProblem(historyPath, historyFile)
  // A log that another process is writing may look broken once, but not twice at the same place.
  if (!problem || !isSame(problem, await findProblem(historyPath, historyFile))) return
  if (problem.kind === 'broken') {
    throw createDamagedError(
      historyPath,
      `its log ${path} is broken at byte ${problem.at}, before stored messages`,
      {
        fix: 'Restore both from a copy; or move the log away to open everything but the last messages',
      },
    )
  }
  onNotice(
    problem.kind === 'gone'
      ? `The log ${path} of the history is gone or empty. The last messages may be missing; everything else is there.`
      : `The last write to the log ${path} of the history was incomplete, as after a power loss, and is left out. Everything before it is there.`,
  )
}

async function findProblem(historyPath: string, historyFile: string): Promise<LogProblem | undefined> {
  // Read first: the log can only have grown when it is read later.
  const isHere = isOpenHere(historyPath)
  const index = isHere ? undefined : readLogIndex(`${historyFile}-shm`)
  const log = parseLog(await readLog(`${historyFile}-wal`))
  if (log.kind === 'empty') return index && index.frames > index.moved ? { kind: 'gone' } : undefined
  if (log.kind === 'invalid header') return { kind: 'broken', at: 0 }
  const { salt, wholeFrames, wholeBytes, commitsBehind, endsBroken } = log
  const indexedFrames = index?.salt === salt ? index.frames : undefined
  if (commitsBehind > 1 || (indexedFrames ?? 0) > wholeFrames) return { kind: 'broken', at: wholeBytes }
  return endsBroken && indexedFrames === undefined && !isHere ? { kind: 'incomplete end' } : undefined
}

function isSame(one: LogProblem, other: LogProblem | undefined): boolean {
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

/** SQLite's record of the log: its frames on the disk, and the frames moved to the file. */
interface LogIndex {
  readonly salt: bigint
  readonly frames: number
  readonly moved: number
}

/** The head of the index is stored twice; the number of moved frames follows. */
const HEAD_BYTES = 48
const READ_BYTES = 2 * HEAD_BYTES + 4
const VERSION = 3_007_000

/**
 * Undefined without an index, or while another process is writing it. A killed process leaves its index unchanged;
 * after a power loss it may be an older one. See https://sqlite.org/walformat.html#the_wal_index_file_format.
 */
function readLogIndex(path: string): LogIndex | undefined {
  const bytes = readFirstBytes(path)
  if (!bytes || !bytes.subarray(0, HEAD_BYTES).equals(bytes.subarray(HEAD_BYTES, 2 * HEAD_BYTES)))
    return undefined
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const order: ChecksumOrder = endianness() === 'LE' ? 'little' : 'big'
  const isWhole = checksum(view, order)
    .add(0, HEAD_BYTES - 8)
    .is(HEAD_BYTES - 8, order)
  const number = (at: number) => view.getUint32(at, order === 'little')
  if (!isWhole || number(0) !== VERSION) return undefined
  // Only the salt has the byte order of the log.
  return { salt: view.getBigUint64(32), frames: number(16), moved: number(2 * HEAD_BYTES) }
}

/** Synchronous, so that this process opens no database in between: closing the file would release its locks. */
function readFirstBytes(path: string): Buffer | undefined {
  let file: number
  try {
    file = openSync(path, 'r')
  } catch {
    return undefined
  }
  try {
    const bytes = Buffer.alloc(READ_BYTES)
    return readSync(file, bytes, 0, READ_BYTES, 0) === READ_BYTES ? bytes : undefined
  } finally {
    closeSync(file)
  }
}

const HEADER_BYTES = 32
const FRAME_HEADER_BYTES = 24

type ParsedLog =
  | { readonly kind: 'empty' }
  | { readonly kind: 'invalid header' }
  | {
      readonly kind: 'log'
      /** Identifies this log; SQLite changes it when it restarts the log. */
      readonly salt: bigint
      /** The part that SQLite reads. */
      readonly wholeFrames: number
      readonly wholeBytes: number
      /** Transactions of this log that SQLite would not see. */
      readonly commitsBehind: number
      /** Whether frames of this log follow after that part. */
      readonly endsBroken: boolean
    }

/** Parses a write-ahead log; see https://sqlite.org/fileformat2.html#the_write_ahead_log. */
function parseLog(log: DataView): ParsedLog {
  if (log.byteLength < HEADER_BYTES || log.getUint32(0) === 0) return { kind: 'empty' }
  // The last bit of the first word names the byte order.
  const order: ChecksumOrder = (log.getUint32(0) & 1) === 0 ? 'little' : 'big'
  const sum = checksum(log, order).add(0, HEADER_BYTES - 8)
  if (!sum.is(HEADER_BYTES - 8, 'big')) return { kind: 'invalid header' }
  const frameBytes = FRAME_HEADER_BYTES + log.getUint32(8)
  const starts: number[] = []
  for (let at = HEADER_BYTES; at + frameBytes <= log.byteLength; at += frameBytes) starts.push(at)
  const broken = starts.findIndex((at) => !isWhole(at))
  const wholeFrames = broken === -1 ? starts.length : broken
  const behind = starts.slice(wholeFrames, starts.findLastIndex(isOfThisLog) + 1)
  return {
    kind: 'log',
    salt: log.getBigUint64(16),
    wholeFrames,
    wholeBytes: HEADER_BYTES + wholeFrames * frameBytes,
    commitsBehind: behind.filter((at) => log.getUint32(at + 4) > 0).length,
    endsBroken: behind.length > 0,
  }

  function isWhole(at: number): boolean {
    return (
      log.getBigUint64(at + 8) === log.getBigUint64(16) &&
      sum
        .add(at, 8)
        .add(at + FRAME_HEADER_BYTES, frameBytes - FRAME_HEADER_BYTES)
        .is(at + 16, 'big')
    )
  }

  /** In the rest of an earlier log both halves of the salt differ; one wrong half is damage. */
  function isOfThisLog(at: number): boolean {
    return log.getUint32(at + 8) === log.getUint32(16) || log.getUint32(at + 12) === log.getUint32(20)
  }
}

type ChecksumOrder = 'little' | 'big'

/** A running sum; see https://sqlite.org/fileformat2.html#checksum_algorithm. */
function checksum(bytes: DataView, order: ChecksumOrder) {
  const isLittle = order === 'little'
  let first = 0
  let second = 0
  return {
    add(start: number, length: number) {
      for (let at = start; at < start + length; at += 8) {
        first = (first + bytes.getUint32(at, isLittle) + second) >>> 0
        second = (second + bytes.getUint32(at + 4, isLittle) + first) >>> 0
      }
      return this
    },
    /** Whether the same sum is written at this place. */
    is(at: number, written: ChecksumOrder) {
      const isWrittenLittle = written === 'little'
      return (
        first === bytes.getUint32(at, isWrittenLittle) && second === bytes.getUint32(at + 4, isWrittenLittle)
      )
    },
  }
}
