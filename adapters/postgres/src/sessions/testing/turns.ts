import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { DurableContentPart, SessionMessage } from '@parley/contracts'
import type { Batch, Lease, StoredEvent } from '@parley/engine'
import { AT, ids } from '@parley/engine/testing'
import { onTestFinished } from 'vitest'

export { AT, ids, createNewTurn } from '@parley/engine/testing'

export const createAnswer = (
  { sessionId, lastMessageNumber }: Lease,
  content: DurableContentPart[] = [{ type: 'text', text: 'Yes.' }],
): SessionMessage => ({
  id: ids.messageId(),
  sessionId,
  sequenceNumber: lastMessageNumber + 1,
  role: 'assistant',
  content,
  timestamp: AT,
})

export const createCompletedEvent = ({ eventSequence, turnId }: Lease): StoredEvent => ({
  sequenceNumber: eventSequence + 1,
  timestamp: AT,
  body: { type: 'session:turn_completed', turnId, stopReason: 'completed' },
})

export const createBatch = (lease: Lease, given: Partial<Batch> = {}): Batch => ({
  messages: [createAnswer(lease)],
  events: [createCompletedEvent(lease)],
  reservedUpTo: lease.reservedUpTo,
  lease: 'ended',
  ...given,
})

/** Runs a script in a new process, with `open`, the database's URL and the given values in scope. */
export function runInChild(databaseUrl: string, given: object, script: string) {
  const child = spawn(process.execPath, ['--input-type=module', '-e', PRELUDE + script], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, GIVEN: JSON.stringify({ databaseUrl, ...given }) },
  })
  onTestFinished(() => {
    child.kill('SIGKILL')
  })
  const lines = createInterface(child.stdout)
  return {
    said: new Promise<string>((resolve) => lines.once('line', resolve)),
    ended: new Promise<number | null>((resolve) => child.once('close', resolve)),
    kill: () => child.kill('SIGKILL'),
  }
}

const PRELUDE = `
  import { openDatabase } from '${new URL('../../open-database.ts', import.meta.url).href}'
  import { createBatch, createNewTurn } from '${import.meta.url}'
  const given = JSON.parse(process.env.GIVEN)
  const database = await openDatabase({ databaseUrl: given.databaseUrl })
  const { sessions } = database
`
