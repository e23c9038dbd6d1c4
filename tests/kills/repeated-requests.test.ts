import type { ChildProcess } from 'node:child_process'
import { randomInt, randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { freshDatabase } from '@parley/postgres/testing'
import { expect, onTestFinished, test } from 'vitest'
import { runSql } from '../../adapters/postgres/src/server/testing/test-cluster.ts'
import { killProcess, readFirstLine, startScript } from '../support/child-process.ts'
import { OWNER_TOKEN } from '../support/call-api.ts'
import type { ServingProcessInput } from './serving-process.ts'

/** `npm run soak` asks for more. */
const KILLS = Number(process.env['PARLEY_REPEAT_KILLS'] ?? 3)
const REQUESTS = 40

test(`[X4] ${KILLS} kills of the server during ${REQUESTS} requests with keys: each takes effect exactly once`, async () => {
  const home = await mkdtemp(join(tmpdir(), 'parley-repeats-'))
  const fresh = await freshDatabase()
  const processes: ChildProcess[] = []
  onTestFinished(async () => {
    for (const child of processes) await killProcess(child)
    await fresh.drop()
    await rm(home, { recursive: true, force: true, maxRetries: 5 })
  })
  const input: ServingProcessInput = {
    kind: 'api',
    databaseUrl: fresh.databaseUrl,
    home,
    ownerToken: OWNER_TOKEN,
  }
  const startServer = async () => {
    const child = startScript(new URL('serving-process.ts', import.meta.url), input)
    processes.push(child)
    return { url: await readFirstLine(child), child }
  }

  let server = await startServer()
  for (let kill = 0; kill < KILLS; kill += 1) {
    const keys = Array.from({ length: REQUESTS }, () => randomUUID())
    const { url, child } = server
    const sent = Promise.all(keys.map((key) => createReflection(url, key).catch(() => undefined)))
    await pause(randomInt(5, 80))
    child.kill('SIGKILL')
    const answered = await sent

    server = await startServer()
    const again = server.url
    await Promise.all(keys.map((key) => createReflection(again, key)))
    // As if half a minute had passed.
    await runSql(fresh.databaseUrl, `update idempotent_requests set running_until = now()`)
    const outcomes = await Promise.all(keys.map((key) => createReflection(again, key)))
    const rows = await runSql(fresh.databaseUrl, 'select display_name from reflections')
    const created = rows.map((row) => row['display_name'])
    const faults = keys.flatMap((key, index) => {
      const times = created.filter((name) => name === key).length
      return findFaults({ times, first: answered[index], last: outcomes[index] })
    })
    expect(faults).toEqual([])
  }
})

interface CreateResponse {
  readonly status: number
  readonly text: string
}

interface RequestOutcome {
  readonly times: number
  /** Absent if the server died before it answered. */
  readonly first: CreateResponse | undefined
  readonly last: CreateResponse | undefined
}

/** Exactly one was created. The client gets the result or `request_outcome_unknown`; an answer never changes. */
function findFaults({ times, first, last }: RequestOutcome): readonly string[] {
  if (times > 1) return [`created ${times} times`]
  if (first && (first.status !== last?.status || first.text !== last.text)) return ['a different answer']
  if (last?.status === 201) return times === 1 ? [] : ['an answer, but nothing created']
  if (!last?.text.includes('request_outcome_unknown')) return [`status ${last?.status}`]
  return times === 1 ? [] : ['an unknown outcome, but nothing created']
}

/** Creates a reflection with the key as its name. */
async function createReflection(url: string, key: string): Promise<CreateResponse> {
  const response = await fetch(`${url}/v1/reflections`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${OWNER_TOKEN}`,
      'content-type': 'application/json',
      'idempotency-key': key,
    },
    body: JSON.stringify({ displayName: key }),
  })
  return { status: response.status, text: await response.text() }
}
