import { expect, test } from 'vitest'
import { formatJson, formatTable, type BenchResult } from './report.ts'

const result: BenchResult = {
  load: [0.5, 1, 2],
  rows: [
    { case: 'turn@10', store: 'history', unit: 'ms', ours: 1.2, floor: 1, target: { atMost: 1.5 } },
    { case: 'tools', store: 'postgres', unit: 'ms', ours: 21, floor: 10, target: { atMost: 2 } },
    { case: 'crowd', store: 'history', unit: 'turns/s', ours: 1_200, floor: 2_000, target: { atLeast: 0.7 } },
    { case: 'start chat', unit: 'ms', ours: 300, floor: 60, target: { atMost: 8 } },
    { case: 'retrieve p99', store: 'postgres', unit: 'ms', ours: 90, floor: 40, target: { oursBelow: 100 } },
    { case: 'resume@100', store: 'history', unit: 'ms', ours: 2, floor: 1 },
  ],
}

test('the JSON has the rows with a target, and whether they reached it', () => {
  expect(JSON.parse(formatJson(result))).toEqual({
    load: [0.5, 1, 2],
    cases: [
      { case: 'turn@10', store: 'history', ours: 1.2, floor: 1, ratio: 1.2, target: 1.5, reached: true },
      { case: 'tools', store: 'postgres', ours: 21, floor: 10, ratio: 2.1, target: 2, reached: false },
      { case: 'crowd', store: 'history', ours: 1_200, floor: 2_000, ratio: 0.6, target: 0.7, reached: false },
      { case: 'start chat', ours: 300, floor: 60, ratio: 5, target: 8, reached: true },
      {
        case: 'retrieve p99',
        store: 'postgres',
        ours: 90,
        floor: 40,
        ratio: 2.25,
        target: 100,
        reached: true,
      },
    ],
  })
})

test('the table has every row with its unit, also those without a target', () => {
  expect(formatTable(result).replaceAll(/ +/g, ' ').split('\n')).toEqual([
    'Load of the machine at the start: 0.50 1.00 2.00',
    '',
    'case store ours floor ratio target',
    expect.stringMatching(/^-+$/),
    'turn@10 history 1.20 ms 1.00 ms 1.20 ≤ 1.5 reached',
    'tools postgres 21.0 ms 10.0 ms 2.10 ≤ 2 NOT REACHED',
    'crowd history 1,200 turns/s 2,000 turns/s 0.60 ≥ 0.7 NOT REACHED',
    'start chat 300 ms 60.0 ms 5.00 ≤ 8 reached',
    'retrieve p99 postgres 90.0 ms 40.0 ms 2.25 < 100 ms reached',
    'resume@100 history 2.00 ms 1.00 ms 2.00 –',
    '',
  ])
})
