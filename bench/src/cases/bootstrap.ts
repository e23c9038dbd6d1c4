import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { startApi } from '@parley/api'
import { MobileSessionResponse } from '@parley/contracts'
import { toRoleUrl } from '@parley/postgres'
import { rebuildVoice } from '@parley/reflections'
import { Client } from 'pg'
import { pino } from 'pino'
import { fillReflection } from '../knowledge/fill-reflection.ts'
import { type OpenKnowledge, openKnowledge } from '../knowledge/open-knowledge.ts'
import { PERSON } from '../knowledge/person.ts'
import { vocabulary } from '../knowledge/vocabulary.ts'
import { median, measureTime } from '../medians.ts'
import { instantProvider } from '../voice/instant-provider.ts'
import { type SentStatement, recordStatements } from '../voice/record-statements.ts'
import type { BenchCase, PostgresBench } from './bench-case.ts'

const SIZE = { namespaces: 4, sourcesEach: 1, chunksEach: 10, factsEach: 100 }
const STARTS = 40
const AT_ONCE = 50
const WAVES = 4
const OWNER = 'made-up-token-of-the-owner'

export const bootstrap: BenchCase = {
  name: 'bootstrap',
  what: 'start of a spoken session over HTTP, with a provider that answers at once; `p99`: 50 parallel starts, to their median',
  on: 'postgres',
  async measure(bench) {
    const knowledge = await openKnowledge(bench.databaseUrl)
    try {
      return await measureStarts(knowledge, bench)
    } finally {
      await knowledge.close()
    }
  },
}

async function measureStarts(knowledge: OpenKnowledge, { databaseUrl, folder, medians }: PostgresBench) {
  await prepare(knowledge)
  const api = await startApi({
    databaseUrl,
    home: join(folder, 'bootstrap'),
    port: 0,
    ownerToken: OWNER,
    logger: pino({ level: 'silent' }),
    voice: {
      provider: instantProvider(),
      publicUrl: 'http://127.0.0.1:9',
      socketOrigin: 'ws://127.0.0.1:4401',
      bindingSecrets: ['made-up-binding-secret'],
      toolSecret: 'made-up-tool-secret',
      webhookSecret: 'made-up-webhook-secret',
      defaultVoiceId: 'made-up-voice',
    },
  })
  const client = new Client({
    connectionString: toRoleUrl(databaseUrl, 'parley_serving'),
    options: '-c plan_cache_mode=force_generic_plan',
  })
  await client.connect()
  try {
    const start = () => startSession(api.url, knowledge)
    for (let warm = 0; warm < STARTS; warm += 1) await start()
    const again = await recordReplay(start, client)
    const times = await medians({ ours: createMedianMeasure(start), floor: createMedianMeasure(again) })
    const crowd = createCrowdMeasure(start)
    await medians({ crowd: crowd.measure })
    const slow = { ours: crowd.p99(), floor: crowd.p50() }
    return [
      { case: 'bootstrap', unit: 'ms', ...times, target: { atMost: 2 } },
      { case: 'bootstrap p99', unit: 'ms', ...slow, target: { atMost: 3 } },
    ] as const
  } finally {
    await client.end()
    await api.stop()
  }
}

async function prepare(knowledge: OpenKnowledge): Promise<void> {
  const { database, learning, reflectionId } = knowledge
  await fillReflection(knowledge, vocabulary(), SIZE)
  const voice = { voiceId: 'made-up-voice', kind: 'stock' as const, consent: false }
  await database.reflections.change(reflectionId, { voice }, PERSON)
  const outcome = await rebuildVoice(reflectionId, learning.artifacts, sha256)
  if (outcome !== 'promoted') throw new Error(`The artifacts were not promoted: ${outcome}.`)
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

async function startSession(url: string, { reflectionId }: OpenKnowledge): Promise<MobileSessionResponse> {
  const response = await fetch(`${url}/v1/mobile/sessions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${OWNER}`, 'content-type': 'application/json' },
    body: JSON.stringify({ channel: 'voice', reflectionId }),
  })
  const answer: unknown = await response.json()
  if (response.status !== 201) throw new Error(`No session started: ${JSON.stringify(answer)}`)
  return MobileSessionResponse.parse(answer)
}

/** Records the statements of one start. Returns a function that sends them again on one connection, for a new session. */
async function recordReplay(start: () => Promise<MobileSessionResponse>, client: Client) {
  let shortestStart: MobileSessionResponse | undefined
  let statements: readonly SentStatement[] = []
  // Background work can add statements; the shortest of several recordings has none of them.
  for (let tries = 0; tries < 5; tries += 1) {
    let answer: MobileSessionResponse | undefined
    const sent = await recordStatements(async () => (answer = await start()))
    if (answer && (!shortestStart || sent.length < statements.length))
      [shortestStart, statements] = [answer, sent]
  }
  if (!shortestStart) throw new Error('No session started.')
  const { sessionId, providerConversationId } = shortestStart
  let made = 0
  return async () => {
    made += 1
    const replaceIds = (value: unknown) =>
      typeof value === 'string'
        ? value
            .replaceAll(sessionId, `${sessionId}${made}`)
            .replaceAll(providerConversationId, `${providerConversationId}_${made}`)
        : value
    for (const { name, text, values } of statements)
      await client.query({ name, text, values: values.map(replaceIds) })
  }
}

const createMedianMeasure = (work: () => Promise<unknown>) => async () => {
  const times: number[] = []
  for (let done = 0; done < STARTS; done += 1) times.push(await measureTime(work))
  return median(times)
}

/** Measures waves of parallel starts: the median and the 99th percentile of each round. */
function createCrowdMeasure(start: () => Promise<unknown>) {
  const rounds: { readonly p50: number; readonly p99: number }[] = []
  const measure = async () => {
    const times: number[] = []
    for (let wave = 0; wave < WAVES; wave += 1)
      times.push(...(await Promise.all(Array.from({ length: AT_ONCE }, () => measureTime(start)))))
    const sorted = times.toSorted((a, b) => a - b)
    rounds.push({ p50: median(times), p99: sorted[Math.ceil(sorted.length * 0.99) - 1] ?? Number.NaN })
    return median(times)
  }
  const medianOfRounds = (pick: (round: { readonly p50: number; readonly p99: number }) => number) =>
    median(rounds.slice(1).map(pick))
  return { measure, p50: () => medianOfRounds(({ p50 }) => p50), p99: () => medianOfRounds(({ p99 }) => p99) }
}
