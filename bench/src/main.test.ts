import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const PROGRAM = fileURLToPath(new URL('./main.ts', import.meta.url))

interface Ended {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

test(
  'a run prints one JSON document of the promised shape, and nothing else',
  { timeout: 120_000 },
  async () => {
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
  },
)

test('a case of a store that was not asked for is left out, and said to be', async () => {
  const { code, stdout, stderr } = await bench('--case', 'ingest', '--store', 'history', '--json')
  expect([code, JSON.parse(stdout).cases]).toEqual([0, []])
  expect(stderr).toContain('ingest is measured on postgres alone')
})

test('what is not understood is told in a sentence, and nothing is measured', async () => {
  const { code, stdout, stderr } = await bench('--fast')
  expect([code, stdout]).toEqual([2, ''])
  expect(stderr).toMatch(/^bench: Unknown option '--fast'[^\n]+\n$/)
})

function bench(...args: readonly string[]): Promise<Ended> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [PROGRAM, ...args], (_, stdout, stderr) =>
      resolve({ code: child.exitCode ?? -1, stdout, stderr }),
    )
  })
}
