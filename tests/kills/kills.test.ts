import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freshDatabase } from '@parley/postgres/testing'
import { expect, onTestFinished, test } from 'vitest'
import { recordFigures } from '../support/record-figures.ts'
import { type TrialCount, killWorkers } from './kill-workers.ts'

/** `npm run soak` asks for more. */
const KILLS = Number(process.env['PARLEY_KILLS'] ?? 4)
const timeout = 60_000 + KILLS * 5_000

test(
  `[X4][S4][S6] ${KILLS} kills of processes on one Postgres lose and duplicate nothing`,
  { timeout },
  async (context) => {
    const { databaseUrl, drop } = await freshDatabase()
    onTestFinished(drop)
    const count = await killWorkers({ kind: 'postgres', databaseUrl }, KILLS, printProgress('postgres'))
    recordFigures(context, `Postgres: ${describeCount(count)}`)
    expect(isMeaningful(count)).toBe(true)
  },
)

test(
  `[X4][S4][S6] ${KILLS} kills of processes on one history file lose and duplicate nothing`,
  { timeout },
  async (context) => {
    const home = await mkdtemp(join(tmpdir(), 'parley-kills-'))
    onTestFinished(() => rm(home, { recursive: true, force: true }))
    const count = await killWorkers({ kind: 'history', home }, KILLS, printProgress('history'))
    recordFigures(context, `history: ${describeCount(count)}`)
    expect(isMeaningful(count)).toBe(true)
  },
)

/** With few messages, or without kills in the middle of a step, the trial proves nothing. */
const isMeaningful = ({ accepted, discarded }: TrialCount) => accepted >= 3 * KILLS && discarded >= KILLS / 4

const printProgress = (store: string) => (killed: number) =>
  console.log(`${store}: ${killed} of ${KILLS} kills, nothing lost or duplicated so far`)

const describeCount = ({ accepted, discarded }: TrialCount) =>
  `${KILLS} kills, ${accepted} messages accepted, ${discarded} steps discarded`
