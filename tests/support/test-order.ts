import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * About how long a file takes; the first match wins. Files in `tests` mostly wait for browsers, speech and processes, so
 * they run beside files that compute: each kind alone leaves the cores idle or overloads them.
 */
const ESTIMATES = [
  { part: '/tests/console/talk.', seconds: 110, isWaiting: true },
  { part: '/tests/console/every-page.', seconds: 80, isWaiting: true },
  { part: '/tests/console/sessions.', seconds: 65, isWaiting: true },
  { part: '/tests/console/reflection.', seconds: 50, isWaiting: true },
  { part: '/tests/up.', seconds: 40, isWaiting: true },
  { part: '/tests/console/', seconds: 20, isWaiting: true },
  { part: '/tests/', seconds: 10, isWaiting: true },
  { part: '/apps/cli/', seconds: 1.5, isWaiting: false },
  { part: '/adapters/tools/src/git/', seconds: 5, isWaiting: false },
  { part: '/adapters/postgres/', seconds: 2, isWaiting: false },
  { part: '/', seconds: 1, isWaiting: false },
]

const estimateOf = ({ moduleId }: TestSpecification) =>
  ESTIMATES.findIndex(({ part }) => moduleId.includes(part))
const secondsOf = (files: readonly TestSpecification[]) =>
  files.reduce((sum, file) => sum + (ESTIMATES[estimateOf(file)]?.seconds ?? 0), 0)

/** Waiting files end before the others, so that no long one is left at the end. */
const WAITING_SHARE = 0.8

export class TestOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- a sequencer's own
    const sorted = (await super.sort(files)).toSorted((one, other) => estimateOf(one) - estimateOf(other))
    const waiting = sorted.filter((file) => ESTIMATES[estimateOf(file)]?.isWaiting)
    const computing = sorted.filter((file) => !ESTIMATES[estimateOf(file)]?.isWaiting)
    const ordered: TestSpecification[] = []
    const [waitingSeconds, computingSeconds] = [secondsOf(waiting), secondsOf(computing)]
    let [waited, computed] = [0, 0]
    for (const file of waiting) {
      while (computed / computingSeconds < (WAITING_SHARE * waited) / waitingSeconds) {
        const next = computing.shift()
        if (!next) break
        computed += secondsOf([next])
        ordered.push(next)
      }
      waited += secondsOf([file])
      ordered.push(file)
    }
    return [...ordered, ...computing]
  }
}
