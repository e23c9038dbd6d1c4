import type { ChildProcess } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import type { SessionId } from '@parley/contracts'
import type { SessionStore } from '@parley/engine'
import { createTestSession, createTestIds } from '@parley/engine/testing'
import { killProcess, startScript } from '../support/child-process.ts'
import { checkSession, createEventCheck } from './check-session.ts'
import { openTrialStore, type TrialStore } from './trial-store.ts'
import type { WorkerInput, WorkerReport } from './worker.ts'

export interface TrialCount {
  readonly accepted: number
  readonly discarded: number
}

const SESSIONS = 4
const WORKERS = 3
/** A worker is killed some time after it sent this many messages. */
const MESSAGES_BEFORE_DEATH = 3

/** Then new sessions start, because every kill checks the whole sessions. */
const KILLS_A_TRIAL = 20

/** Lets workers talk in shared sessions and kills them one after another. Checks the store after each kill. */
export async function killWorkers(
  trial: TrialStore,
  kills: number,
  onProgress: (done: number) => void,
): Promise<TrialCount> {
  let count: TrialCount = { accepted: 0, discarded: 0 }
  for (let done = 0; done < kills; done += KILLS_A_TRIAL) {
    if (done > 0) onProgress(done)
    const { accepted, discarded } = await runTrial(trial, Math.min(KILLS_A_TRIAL, kills - done))
    count = { accepted: count.accepted + accepted, discarded: count.discarded + discarded }
  }
  return count
}

async function runTrial(trial: TrialStore, kills: number): Promise<TrialCount> {
  const ids = createTestIds()
  const { store, close } = await openTrialStore(trial)
  const sessionIds = Array.from({ length: SESSIONS }, () => ids.sessionId())
  for (const id of sessionIds) await store.create(...createTestSession(id, new Date().toISOString()))
  const reports: WorkerReport[] = []
  const workers = Array.from({ length: WORKERS }, () => startWorker({ store: trial, sessionIds }, reports))
  try {
    for (let kill = 0; kill < kills; kill += 1) {
      const next = startWorker({ store: trial, sessionIds }, reports)
      const doomed = workers.shift()
      workers.push(next)
      if (!doomed) throw new Error('no worker is left')
      await doomed.atWork
      await pause(randomInt(40))
      await doomed.kill()
      await checkAll(store, sessionIds, reports, 'others live')
    }
  } finally {
    await Promise.all(workers.map((worker) => worker.kill()))
  }
  await checkAll(store, sessionIds, reports, 'all are dead')
  await close()
  const checkEvent = createEventCheck()
  for (const report of reports) if (report.kind === 'event') checkEvent(report.event)
  return {
    accepted: reports.filter(({ kind }) => kind === 'accepted').length,
    discarded: reports.filter(isDiscardedStep).length,
  }
}

const isDiscardedStep = (report: WorkerReport) =>
  report.kind === 'event' && report.event.type === 'agent:step_discarded'

async function checkAll(
  store: SessionStore,
  sessionIds: readonly SessionId[],
  reports: readonly WorkerReport[],
  when: 'others live' | 'all are dead',
) {
  for (const sessionId of sessionIds) {
    const findTexts = (kind: 'sending' | 'accepted') =>
      reports.flatMap((report) =>
        report.kind === kind && report.sessionId === sessionId ? [report.text] : [],
      )
    // A living worker may store a message before we read its report.
    const sent = when === 'all are dead' ? { sent: findTexts('sending') } : {}
    await checkSession(store, sessionId, { accepted: findTexts('accepted'), ...sent })
  }
}

function startWorker(input: WorkerInput, reports: WorkerReport[]) {
  const child = startScript(new URL('worker.ts', import.meta.url), input)
  let accepted = 0
  const atWork = new Promise<void>((resolve, reject) => {
    createInterface(child.stdout).on('line', (line) => {
      const report = parseReport(line)
      if (!report) return
      reports.push(report)
      if (report.kind === 'accepted' && ++accepted === MESSAGES_BEFORE_DEATH) resolve()
    })
    child.once('close', () => reject(new Error('the worker exited')))
  })
  atWork.catch(() => {})
  return { atWork, kill: () => killRunning(child) }
}

/** The last line of a killed worker may be cut off. */
function parseReport(line: string): WorkerReport | undefined {
  try {
    return JSON.parse(line) as WorkerReport
  } catch {
    return undefined
  }
}

async function killRunning(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) throw new Error(`a worker exited with ${child.exitCode}`)
  await killProcess(child)
}
