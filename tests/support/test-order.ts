import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files that mostly wait for browsers, speech and processes, with estimated seconds. Measured times replace them. */
const WAITING = [
  { path: '/tests/console/talk.', seconds: 110 },
  { path: '/tests/console/every-page.', seconds: 80 },
  { path: '/tests/console/sessions.', seconds: 60 },
  { path: '/tests/console/reflection.', seconds: 40 },
  { path: '/tests/up.', seconds: 30 },
  { path: '/tests/console', seconds: 20 },
  { path: '/tests/kills/', seconds: 10 },
  { path: '/tests/readers/', seconds: 10 },
  { path: '/tests/sharing/', seconds: 10 },
]
const COMPUTING_SECONDS = 1

/** With more, cores stay idle. With fewer, these files run long after all others. */
const MOST_WAITING = 2

/**
 * Plans the run in advance, so that some files wait and some compute at any time. Computing files are sorted by folder,
 * with the short ones of `core` last.
 */
export class TestOrder extends BaseSequencer {
  // oxlint-disable-next-line unicorn/no-array-sort -- the name is given by vitest
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rows = files.map((file) => {
      const waiting = WAITING.find(({ path }) => file.moduleId.includes(path))
      const measured = this.ctx.cache.getTestSpecificationResult(file)?.duration
      const seconds = measured ? measured / 1_000 : (waiting?.seconds ?? COMPUTING_SECONDS)
      return { file, seconds, isWaiting: waiting !== undefined }
    })
    const waiting = rows.filter(({ isWaiting }) => isWaiting).toSorted((a, b) => b.seconds - a.seconds)
    const computing = rows
      .filter(({ isWaiting }) => !isWaiting)
      .toSorted((a, b) => (toSortKey(a.file) < toSortKey(b.file) ? -1 : 1))
    const workers = Array.from({ length: this.ctx.config.maxWorkers }, () => ({
      freeAt: 0,
      isWaiting: false,
    }))
    return rows.map(({ file }) => {
      const worker = workers.reduce((first, other) => (other.freeAt < first.freeAt ? other : first))
      const busy = workers.filter((other) => other !== worker && other.isWaiting).length
      const [preferred, others] = busy < MOST_WAITING ? [waiting, computing] : [computing, waiting]
      const next = preferred.shift() ?? others.shift()
      worker.freeAt += next?.seconds ?? 0
      worker.isWaiting = next?.isWaiting ?? false
      return next?.file ?? file
    })
  }
}

const FOLDERS = ['/tests/', '/adapters/', '/apps/', '/core/']

const toSortKey = ({ moduleId }: TestSpecification): string =>
  `${FOLDERS.findIndex((folder) => moduleId.includes(folder))} ${moduleId}`
