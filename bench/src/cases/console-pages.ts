import { execFile } from 'node:child_process'
import { randomFillSync } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { startApi } from '@parley/api'
import type { PersonId } from '@parley/contracts'
import { createIdSource } from '@parley/engine'
import { pino } from 'pino'
import { fillSession } from '../console/fill-session.ts'
import { slowModel } from '../console/slow-model.ts'
import { fillReflection } from '../knowledge/fill-reflection.ts'
import { type OpenKnowledge, openKnowledge } from '../knowledge/open-knowledge.ts'
import { vocabulary } from '../knowledge/vocabulary.ts'
import type { BenchRow } from '../row.ts'
import type { BenchCase, PostgresBench } from './bench-case.ts'

const OWNER = 'made-up-token-of-the-owner'
const OWNER_ID = 'per_owner' as PersonId
const FEW = { messages: 20, facts: 50 }
const MANY = { messages: 5_000, facts: 20_000 }

/** Limits that people perceive as immediate and as fast, as in Web Vitals. */
const AT_ONCE = { oursBelow: 200 } as const
const SOON = { oursBelow: 2_500 } as const

const BUILT = fileURLToPath(new URL('../../../apps/console/dist/index.html', import.meta.url))
/** Runs in its own process, because it starts a browser. */
const DRIVER = fileURLToPath(new URL('../../../tests/speed/measure-pages.ts', import.meta.url))

export const consolePages: BenchCase = {
  name: 'console',
  what: 'the console in a real browser, with 5,000 messages and 20,000 facts, to the same pages with 20 and 50: time to the first content, and the longest wait of a key while scrolling and while typing during an answer; measured once',
  on: 'postgres',
  async measure(bench) {
    if (!existsSync(BUILT)) throw new Error('The console is not built. Run `npm run build` first.')
    const [few, many] = [await openKnowledge(bench.databaseUrl), await openKnowledge(bench.databaseUrl)]
    try {
      return await measurePages(few, many, bench)
    } finally {
      await few.close()
      await many.close()
    }
  },
}

async function measurePages(few: OpenKnowledge, many: OpenKnowledge, bench: PostgresBench) {
  const { databaseUrl, folder, note } = bench
  const words = vocabulary()
  const ids = createIdSource(randomFillSync)
  const size = { namespaces: 1, sourcesEach: 1, chunksEach: 10 }
  await fillReflection(few, words, { ...size, factsEach: FEW.facts })
  await fillReflection(many, words, { ...size, factsEach: MANY.facts })
  const { sessions } = few.database
  const createSession = (messages: number) =>
    fillSession(sessions, words, { messages, ownerId: OWNER_ID, ids })
  const paths = {
    few: [`/sessions/${await createSession(FEW.messages)}`, `/reflections/${few.reflectionId}/facts`],
    many: [`/sessions/${await createSession(MANY.messages)}`, `/reflections/${many.reflectionId}/facts`],
  } as const
  const home = join(folder, 'console')
  const logger = pino({ level: 'silent' })
  const api = await startApi({
    databaseUrl,
    home,
    port: 0,
    ownerToken: OWNER,
    logger,
    getModel: () => slowModel,
  })
  try {
    const drive = async ([session, facts]: readonly [string, string]) => {
      const job = JSON.stringify({ url: api.url, token: OWNER, session, facts })
      const { stdout } = await promisify(execFile)(process.execPath, [DRIVER, job])
      return JSON.parse(stdout) as PageMeasurements
    }
    // The first visit fills the caches of the server and this machine.
    await drive(paths.few)
    const [floor, ours] = [await drive(paths.few), await drive(paths.many)]
    note(`While scrolling the long session, the longest task took ${ours.longestTask} ms.`)
    return toRows(ours, floor)
  } finally {
    await api.stop()
  }
}

interface PageMeasurements {
  readonly sessionShown: number
  readonly sessionScrolled: number
  readonly sessionTyped: number
  readonly factsShown: number
  readonly factsScrolled: number
  readonly longestTask: number
}

function toRows(ours: PageMeasurements, floor: PageMeasurements): readonly BenchRow[] {
  const row = (name: string, of: keyof PageMeasurements, target: BenchRow['target']): BenchRow => ({
    case: `console ${name}`,
    unit: 'ms',
    ours: ours[of],
    floor: floor[of],
    ...(target && { target }),
  })
  return [
    row('session shown', 'sessionShown', SOON),
    row('session scrolled', 'sessionScrolled', AT_ONCE),
    row('session typed in', 'sessionTyped', AT_ONCE),
    row('facts shown', 'factsShown', SOON),
    row('facts scrolled', 'factsScrolled', AT_ONCE),
  ]
}
