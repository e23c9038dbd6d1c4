import type { Health } from '@parley/contracts'
import { expect, test } from 'vitest'
import { troublesOf } from './troubles.ts'

const NOW = Date.parse('2026-03-01T10:00:00.000Z')
const ago = (minutes: number) => new Date(NOW - minutes * 60_000).toISOString()

const worker = { kind: 'worker', instance: 'w', startedAt: ago(90), seenAt: ago(0), isAlive: true } as const
const queue = { name: 'ingest-source', waiting: 1, active: 0, retrying: 0, failed: 0 }
const well: Health = {
  range: '1h',
  from: ago(60),
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
  queues: [{ ...queue, oldestAt: ago(1) }],
  failedJobs: [],
}

test.each<[string, Partial<Health>, readonly string[]]>([
  ['nothing is wrong where all that is set up works', {}, []],
  [
    'a silent worker',
    { processes: [{ ...worker, isAlive: false }] },
    ['No worker is running: nothing is learned.'],
  ],
  [
    'a provider that fails',
    { providers: [{ name: 'acme', kind: 'model', state: 'failing' }] },
    ['acme does not answer.'],
  ],
  [
    'a job that failed',
    { failedJobs: [{ jobId: 'j', queue: 'ingest-source', failedAt: ago(1), tries: 4, problem: 'x' }] },
    ['1 job failed.'],
  ],
  [
    'jobs that wait for long though a worker lives',
    { queues: [{ ...queue, oldestAt: ago(6) }] },
    ['Jobs wait for longer than five minutes.'],
  ],
  [
    'errors of our own, not of those who asked',
    { routes: [{ route: 'GET /v1/me', requests: 5, refused: 2, failed: 2, averageMs: 3 }] },
    ['2 requests failed.'],
  ],
  [
    'a turn that failed',
    { failures: [{ kind: 'turn', at: ago(1), code: 'provider_unavailable' }] },
    ['1 turn or start failed.'],
  ],
])('%s', (_, given, expected) => {
  expect(troublesOf({ ...well, ...given }, NOW).map(({ words }) => words)).toEqual(expected)
})
