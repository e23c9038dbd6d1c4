import { type ChildProcess, spawn } from 'node:child_process'
import { randomInt, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { freshDatabase } from '@parley/postgres/testing'
import { expect, onTestFinished, test } from 'vitest'
import { query } from '../../adapters/postgres/src/server/testing/test-cluster.ts'
import type { ServingGiven } from './serving-process.ts'

/** `npm run soak` asks for more. */
const KILLS = Number(process.env['PARLEY_REPEAT_KILLS'] ?? 3)
const REQUESTS = 40
const TOKEN = 'made-up-token-of-the-owner'

test(`[X4] ${KILLS} kills of the server in the middle of ${REQUESTS} keyed requests carry out each exactly once`, async () => {
  const home = await mkdtemp(join(tmpdir(), 'parley-repeats-'))
  const fresh = await freshDatabase()
  const processes: ChildProcess[] = []
  onTestFinished(async () => {
    for (const one of processes) one.kill('SIGKILL')
    await fresh.drop()
    await rm(home, { recursive: true, force: true, maxRetries: 5 })
  })
  const given = { kind: 'api', databaseUrl: fresh.databaseUrl, home, ownerToken: TOKEN } as const
  const serve = async () => {
    const started = await startServing(given)
    processes.push(started.child)
    return started
  }

  let server = await serve()
  for (let kill = 0; kill < KILLS; kill += 1) {
    const keys = Array.from({ length: REQUESTS }, () => randomUUID())
    const { url, child } = server
    const sent = Promise.all(keys.map((key) => create(url, key).catch(() => undefined)))
    await pause(randomInt(5, 80))
    child.kill('SIGKILL')
    const answered = await sent

    server = await serve()
    const again = server.url
    await Promise.all(keys.map((key) => create(again, key)))
    // Half a minute passes.
    await query(fresh.databaseUrl, `update idempotent_requests set running_until = now()`)
    const outcomes = await Promise.all(keys.map((key) => create(again, key)))
    const rows = await query(fresh.databaseUrl, 'select display_name from reflections')
    const created = rows.map((row) => row['display_name'])
    const faults = keys.flatMap((key, index) => {
      const times = created.filter((name) => name === key).length
      return faultOf({ times, first: answered[index], last: outcomes[index] })
    })
    expect(faults).toEqual([])
  }
})

interface Answer {
  readonly status: number
  readonly text: string
}

interface Outcome {
  readonly times: number
  /** Absent if the server died before it answered. */
  readonly first: Answer | undefined
  readonly last: Answer | undefined
}

/** Exactly one was created. The client learns so, or that it cannot be known; an answer never changes. */
function faultOf({ times, first, last }: Outcome): readonly string[] {
  if (times > 1) return [`created ${times} times`]
  if (first && (first.status !== last?.status || first.text !== last.text)) return ['another answer']
  if (last?.status === 201) return times === 1 ? [] : ['an answer, and nothing created']
  if (!last?.text.includes('request_outcome_unknown')) return [`status ${last?.status}`]
  return times === 1 ? [] : ['an unknown outcome, and nothing created']
}

/** Creates a reflection that is named like its key. */
async function create(url: string, key: string): Promise<Answer> {
  const response = await fetch(`${url}/v1/reflections`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${TOKEN}`,
      'content-type': 'application/json',
      'idempotency-key': key,
    },
    body: JSON.stringify({ displayName: key }),
  })
  return { status: response.status, text: await response.text() }
}

async function startServing(given: ServingGiven) {
  const program = fileURLToPath(new URL('./serving-process.ts', import.meta.url))
  const child = spawn(process.execPath, [program], {
    env: { ...process.env, GIVEN: JSON.stringify(given) },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [url] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
  return { url, child }
}
