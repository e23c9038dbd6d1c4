// Runs in the test process. Runs each test file without mutants first, to learn which tests reach which mutants; then
// runs the reaching tests for each mutant.
import { appendFileSync } from 'node:fs'
import { inject, TestRunner, vi } from 'vitest'
import { startTests } from 'vitest/internal/browser'

const { settled, tried, reportFile } = inject('mutation')
const done = new Set(settled)
const triedBefore = new Set(tried)
/** A test with this many times more loop turns and calls than without a mutant counts as endless. */
const MORE_TURNS = 100_000

let active = -1
let isTouched = true
let reached = new Set()
let turns = 0
let usualTurns = 0
let mostTurns = Infinity

globalThis.parleyMutant = (id) => {
  reached.add(id)
  return id === active
}
globalThis.parleyTurn = () => {
  turns += 1
  if (turns > mostTurns) throw new Error('This mutant is endless')
}

const report = (line) =>
  appendFileSync(reportFile, `${JSON.stringify({ ...line, pid: process.pid, at: Date.now() })}\n`)

// oxlint-disable-next-line import/no-default-export -- vitest loads a runner from the default export
export default class MutationRunner extends TestRunner {
  /** Reached mutants by test; without a test: while modules loaded and hooks ran. */
  reachedBy = new Map()
  slowestMs = 0

  onBeforeCollect() {
    reached = new Set()
    turns = 0
    usualTurns = 0
    mostTurns = Infinity
    this.reachedBy = new Map([['', reached]])
    this.slowestMs = 0
    // Load modules again, so that their top-level code counts as reached.
    vi.resetModules()
  }

  onBeforeTryTask(test, options) {
    reached = new Set()
    this.reachedBy.set(test.id, reached)
    usualTurns = Math.max(usualTurns, turns)
    turns = 0
    return super.onBeforeTryTask(test, options)
  }

  onAfterRunTask(test) {
    this.slowestMs = Math.max(this.slowestMs, test.result?.duration ?? 0)
    usualTurns = Math.max(usualTurns, turns)
    reached = this.reachedBy.get('')
    return super.onAfterRunTask(test)
  }

  // oxlint-disable-next-line typescript/no-misused-promises -- vitest waits for it
  async onAfterRunFiles(files) {
    super.onAfterRunFiles(files)
    const [file] = files
    if (file.result?.state === 'fail') {
      report({ type: 'broken', file: file.filepath, errors: messagesIn(file) })
      return
    }
    mostTurns = MORE_TURNS + 3 * usualTurns
    const loaded = this.reachedBy.get('')
    const ids = new Set([...this.reachedBy.values()].flatMap((inside) => [...inside]))
    for (const id of ids) {
      if (done.has(id) || triedBefore.has(`${id} ${file.filepath}`)) continue
      const tests = new Set([...this.reachedBy].filter(([, inside]) => inside.has(id)).map(([test]) => test))
      report({ type: 'started', id })
      const began = performance.now()
      const killedBy = await this.findKiller(id, file, loaded.has(id) ? undefined : tests)
      if (killedBy !== undefined) done.add(id)
      report({
        type: killedBy === undefined ? 'survived' : 'killed',
        id,
        killedBy,
        file: file.filepath,
        ms: Math.round(performance.now() - began),
      })
    }
    // Try twice, because a busy machine may be late.
    const again = (await this.findKiller(-1, file)) && (await this.findKiller(-1, file))
    if (again === undefined) report({ type: 'finished', file: file.filepath })
    else report({ type: 'broken', file: file.filepath, errors: [`Fails when run again: ${again}`] })
  }

  /** Returns the first test that fails with the mutant, of the tests that reach it, or of all. */
  async findKiller(id, { filepath }, tests) {
    let killedBy
    const runner = Object.create(this, {
      config: {
        value: { ...this.config, testTimeout: this.slowestMs * 5 + 2_000, hookTimeout: 5_000, retry: 0 },
      },
      cancelRun: { value: false, writable: true },
      cancel: { value: undefined, writable: true },
      trace: { value: undefined, writable: true },
      reachedBy: { value: new Map(), writable: true },
    })
    for (const name of [
      'onBeforeCollect',
      'onCollected',
      'onTaskUpdate',
      'onAfterRunFiles',
      'onCleanupWorkerContext',
      'onTestAnnotate',
    ])
      Object.defineProperty(runner, name, { value: undefined })
    runner.onBeforeRunTask = async (test) => {
      if (tests && !tests.has(test.id)) test.mode = 'skip'
      await TestRunner.prototype.onBeforeRunTask.call(runner, test)
    }
    runner.onBeforeTryTask = (test, options) => {
      turns = 0
      return TestRunner.prototype.onBeforeTryTask.call(runner, test, options)
    }
    runner.onAfterRunTask = (test) => {
      if (test.result?.state === 'fail') {
        killedBy ??= test.name
        runner.cancelRun = true
      }
      TestRunner.prototype.onAfterRunTask.call(runner, test)
    }
    active = id
    turns = 0
    // Reload modules if the mutant is in top-level code, or if a test may have left state in them.
    if (!tests || isTouched) vi.resetModules()
    isTouched = !tests
    try {
      const [file] = await startTests([filepath], runner)
      if (killedBy === undefined && file.result?.state === 'fail')
        killedBy = messagesIn(file)[0] ?? 'the file'
    } catch (failure) {
      killedBy ??= String(failure)
    } finally {
      active = -1
      if (killedBy !== undefined) isTouched = true
      vi.useRealTimers()
    }
    return killedBy
  }
}

function messagesIn(task) {
  const own = (task.result?.errors ?? []).map(({ message }) => `${task.name}: ${message}`)
  return [...own, ...(task.tasks ?? []).flatMap(messagesIn)]
}
