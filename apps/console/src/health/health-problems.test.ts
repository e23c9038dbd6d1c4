import { expect, test } from 'vitest'
import type { Health } from '@parley/contracts'
import { type Unit, findHealthProblems, formatHealthValue, calculateTotal } from './health-problems.ts'

const NOW = Date.parse('2026-03-01T10:00:00.000Z')
const minutesAgo = (minutes: number) => new Date(NOW - minutes * 60_000).toISOString()

const worker = {
  kind: 'worker',
  instance: 'w',
  startedAt: minutesAgo(90),
  seenAt: minutesAgo(0),
  isAlive: true,
} as const
const queue = { name: 'ingest-source', waiting: 1, active: 0, retrying: 0, failed: 0 }
const HEALTHY: Health = {
  range: '1h',
  from: minutesAgo(60),
  pieceSeconds: 60,
  charts: {
    requests: [],
    responseMs: [],
    turns: [],
    firstWordMs: [],
    cost: [],
    sessions: [],
    retrievalMs: [],
  },
  routes: [{ route: 'GET /v1/me', requests: 5, refused: 2, failed: 0, averageMs: 3 }],
  failures: [],
  providers: [
    { name: 'offline', kind: 'model', state: 'working' },
    { name: 'anthropic', kind: 'model', state: 'not_set_up' },
  ],
  database: { version: '18.1', bytes: 1, answeredMs: 1 },
  processes: [worker],
  queues: [{ ...queue, oldestAt: minutesAgo(1) }],
  failedJobs: [],
}

test.each<[string, Partial<Health>, readonly string[]]>([
  ['no problems if everything configured works', {}, []],
  [
    'a silent worker',
    { processes: [{ ...worker, isAlive: false }] },
    ['No worker is running: imports are paused.'],
  ],
  [
    'a provider that fails',
    { providers: [{ name: 'acme', kind: 'model', state: 'failing' }] },
    ['acme is failing.'],
  ],
  [
    'a job that failed',
    { failedJobs: [{ jobId: 'j', queue: 'ingest-source', failedAt: minutesAgo(1), tries: 4, problem: 'x' }] },
    ['1 job failed.'],
  ],
  [
    'jobs that wait long despite a running worker',
    { queues: [{ ...queue, oldestAt: minutesAgo(6) }] },
    ['Jobs have waited for over five minutes.'],
  ],
  [
    'server errors, not refused requests',
    { routes: [{ route: 'GET /v1/me', requests: 5, refused: 2, failed: 2, averageMs: 3 }] },
    ['2 requests failed.'],
  ],
  [
    'a turn that failed',
    { failures: [{ kind: 'turn', at: minutesAgo(1), code: 'provider_unavailable' }] },
    ['1 turn or session start failed.'],
  ],
])('%s', (_, given, expected) => {
  expect(findHealthProblems({ ...HEALTHY, ...given }, NOW).map(({ text }) => text)).toEqual(expected)
})

test.each<[number | null, Unit, string]>([
  [null, 'ms', '–'],
  [1234, 'count', '1,234'],
  [12.4, 'ms', '12 ms'],
  [1_250, 'ms', '1.3 s'],
  [0, 'money', '$0'],
  [150_000_000, 'money', '$1.50'],
])('%s as %s is %s', (value, unit, expected) => {
  expect(formatHealthValue(value, unit)).toBe(expected)
})

test.each<[string, readonly (number | null)[], Unit, number | null]>([
  ['counts add up', [1, 2, 0], 'count', 3],
  ['for times the maximum counts', [5, null, 9], 'ms', 9],
  ['nothing was timed', [null, null], 'ms', null],
])('%s', (_, values, unit, expected) => {
  expect(calculateTotal(values, unit)).toBe(expected)
})
