import { type ChildProcess, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { SessionId } from '@parley/contracts'
import type { SessionStore } from '@parley/engine'
import { newSession, testIds } from '@parley/engine/testing'
import { checkSession, createToldCheck } from './check-session.ts'
import { openTrialStore, type TrialStore } from './trial-store.ts'
import type { Said, WorkerGiven } from './worker.ts'

export interface Count {
  readonly accepted: number
  readonly discarded: number
}

const SESSIONS = 4
const WORKERS = 3
/** A worker is killed some time after it has begun to be of use. */
const MESSAGES_BEFORE_DEATH = 3

/** So many kills to a set of sessions: they get longer, and each kill looks through all of them. */
const KILLS_A_TRIAL = 20

/** Lets workers talk in shared sessions and kills one after another; after each kill the store is looked through. */
export async function killWorkers(
  trial: TrialStore,
  kills: number,
  onProgress: (done: number) => void,
): Promise<Count> {
  let count: Count = { accepted: 0, discarded: 0 }
  for (let done = 0; done < kills; done += KILLS_A_TRIAL) {
    if (done > 0) onProgress(done)
    const { accepted, discarded } = await runTrial(trial, Math.min(KILLS_A_TRIAL, kills - done))
    count = { accepted: count.accepted + accepted, discarded: count.discarded + discarded }
  }
  return count
}

async function runTrial(trial: TrialStore, kills: number): Promise<Count> {
  const ids = testIds()
  const { store, close } = await openTrialStore(trial)
  const sessionIds = Array.from({ length: SESSIONS }, () => ids.sessionId())
  for (const id of sessionIds) await store.create(...newSession(id, new Date().toISOString()))
  const said: Said[] = []
  const workers = Array.from({ length: WORKERS }, () => startWorker({ store: trial, sessionIds }, said))
  try {
    for (let kill = 0; kill < kills; kill += 1) {
      const next = startWorker({ store: trial, sessionIds }, said)
      const doomed = workers.shift()
      workers.push(next)
      if (!doomed) throw new Error('there is no worker to kill')
      await doomed.atWork
      await pause(randomInt(40))
      await doomed.kill()
      await checkAll(store, sessionIds, said, 'others live')
    }
  } finally {
    await Promise.all(workers.map((worker) => worker.kill()))
  }
  await checkAll(store, sessionIds, said, 'all are dead')
  await close()
  const checkTold = createToldCheck()
  for (const one of said) if (one.kind === 'told') checkTold(one.event)
  return {
    accepted: said.filter(({ kind }) => kind === 'accepted').length,
    discarded: said.filter(isDiscard).length,
  }
}

const isDiscard = (one: Said) => one.kind === 'told' && one.event.type === 'agent:step_discarded'

async function checkAll(
  store: SessionStore,
  sessionIds: readonly SessionId[],
  said: readonly Said[],
  when: 'others live' | 'all are dead',
) {
  for (const sessionId of sessionIds) {
    const ofSession = (kind: 'sending' | 'accepted') =>
      said.flatMap((one) => (one.kind === kind && one.sessionId === sessionId ? [one.text] : []))
    // What the living are sending may be in the store before we have read that they do.
    const sent = when === 'all are dead' ? { sent: ofSession('sending') } : {}
    await checkSession(store, sessionId, { accepted: ofSession('accepted'), ...sent })
  }
}

function startWorker(given: WorkerGiven, said: Said[]) {
  const child = spawn(process.execPath, [fileURLToPath(new URL('worker.ts', import.meta.url))], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, GIVEN: JSON.stringify(given) },
  })
  let accepted = 0
  const atWork = new Promise<void>((resolve, reject) => {
    createInterface(child.stdout).on('line', (line) => {
      const one = parsed(line)
      if (!one) return
      said.push(one)
      if (one.kind === 'accepted' && ++accepted === MESSAGES_BEFORE_DEATH) resolve()
    })
    child.once('close', () => reject(new Error('the worker ended by itself')))
  })
  atWork.catch(() => {})
  return { atWork, kill: () => killed(child) }
}

/** The last line of a killed worker may be cut off. */
function parsed(line: string): Said | undefined {
  try {
    return JSON.parse(line) as Said
  } catch {
    return undefined
  }
}

async function killed(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) throw new Error(`a worker ended by itself with ${child.exitCode}`)
  const closed = once(child, 'close')
  child.kill('SIGKILL')
  await closed
}
