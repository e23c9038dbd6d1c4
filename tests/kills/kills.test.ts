import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freshDatabase } from '@parley/postgres/testing'
import { expect, onTestFinished, test } from 'vitest'
import { recordFigures } from '../support/record-figures.ts'
import { type Count, killWorkers } from './kill-workers.ts'

/** `npm run soak` asks for more. */
const KILLS = Number(process.env['PARLEY_KILLS'] ?? 4)
const timeout = 60_000 + KILLS * 5_000

test(
  `[X4][S4][S6] ${KILLS} kills of processes on one Postgres lose and double nothing`,
  { timeout },
  async (context) => {
    const { databaseUrl, drop } = await freshDatabase()
    onTestFinished(drop)
    const count = await killWorkers({ kind: 'postgres', databaseUrl }, KILLS, tellProgress('postgres'))
    recordFigures(context, `Postgres: ${inWords(count)}`)
    expect(isWork(count)).toBe(true)
  },
)

test(
  `[X4][S4][S6] ${KILLS} kills of processes on one history lose and double nothing`,
  { timeout },
  async (context) => {
    const home = await mkdtemp(join(tmpdir(), 'parley-kills-'))
    onTestFinished(() => rm(home, { recursive: true, force: true }))
    const count = await killWorkers({ kind: 'history', home }, KILLS, tellProgress('history'))
    recordFigures(context, `history: ${inWords(count)}`)
    expect(isWork(count)).toBe(true)
  },
)

/** A trial in which little was said, or in which nobody was killed in the middle of a step, would prove nothing. */
const isWork = ({ accepted, discarded }: Count) => accepted >= 3 * KILLS && discarded >= KILLS / 4

const tellProgress = (store: string) => (killed: number) =>
  console.log(`${store}: ${killed} of ${KILLS} kills, nothing lost or doubled so far`)

const inWords = ({ accepted, discarded }: Count) =>
  `${KILLS} kills, ${accepted} messages accepted, ${discarded} steps discarded`
