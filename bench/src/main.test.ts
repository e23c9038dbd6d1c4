import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const PROGRAM = fileURLToPath(new URL('./main.ts', import.meta.url))

interface BenchOutput {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

test('a run with --json prints one JSON document and nothing else', { timeout: 120_000 }, async () => {
  const { code, stdout } = await bench('--rounds', '1', '--case', 'tools', '--store', 'history', '--json')
  expect(code).toBe(0)
  const result = JSON.parse(stdout)
  const number = expect.any(Number)
  const row = { case: 'tools', store: 'history', ours: number, floor: number, ratio: number, target: 2 }
  expect(result).toEqual({
    load: [number, number, number],
    cases: [{ ...row, reached: expect.any(Boolean) }],
  })
  const [{ ours, floor, ratio, reached }] = result.cases
  expect(Math.min(ours, floor)).toBeGreaterThan(0)
  expect(ratio).toBeCloseTo(ours / floor)
  expect(reached).toBe(ratio <= 2)
})

test('a case without its store is skipped with a note', async () => {
  const { code, stdout, stderr } = await bench('--case', 'ingest', '--store', 'history', '--json')
  expect([code, JSON.parse(stdout).cases]).toEqual([0, []])
  expect(stderr).toContain('Skipping ingest: it needs the store postgres')
})

test('an unknown option is reported, and nothing is measured', async () => {
  const { code, stdout, stderr } = await bench('--fast')
  expect([code, stdout]).toEqual([2, ''])
  expect(stderr).toMatch(/^bench: Unknown option '--fast'[^\n]+\n$/)
})

function bench(...args: readonly string[]): Promise<BenchOutput> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [PROGRAM, ...args], (_, stdout, stderr) =>
      resolve({ code: child.exitCode ?? -1, stdout, stderr }),
    )
  })
}
