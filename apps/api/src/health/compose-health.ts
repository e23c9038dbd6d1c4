import {
  ErrorCode,
  type HealthCharts,
  type HealthRange,
  type HealthSeries,
  PlatformError,
  type ProviderHealth,
  type RouteHealth,
} from '@parley/contracts'
import type { ProviderSettings, Providers } from '@parley/llm'
import {
  type Database,
  type HealthRecorder,
  type HealthWindow,
  NOTHING_TIMED,
  type Spread,
  type StoredProvider,
  type SummedSample,
  addSpreads,
  failedOutcome,
  withinMs,
} from '@parley/postgres'
import type { Caller } from '../auth/authenticate.ts'
import type { Services } from '../services.ts'
import type { VoiceSettings } from '../reflections/voice-settings.ts'
import type { HealthService } from './health-service.ts'
import { VOICE } from './watched-provider.ts'

interface HealthParts {
  readonly database: Pick<Database, 'health' | 'ready'>
  readonly recorder: HealthRecorder
  readonly settings: () => readonly ProviderSettings[]
  readonly providers: () => Providers
  readonly voice: VoiceSettings | undefined
  readonly mask: (text: string) => string
}

const PROBE_MS = 20_000
const MOST_LISTED = 50

export function composeHealth(parts: HealthParts): Pick<Services, 'health' | 'recorder'> {
  const { database, recorder, settings, providers, voice, mask } = parts
  const { health: store } = database

  const known = (): readonly KnownProvider[] => [
    ...settings().map(({ name, kind }) => {
      const missing = missingOf(providers(), name)
      return {
        name,
        kind: 'model' as const,
        ...(kind === 'offline' && { isBuiltIn: true }),
        ...(missing !== undefined && { missing: mask(missing) }),
      }
    }),
    ...(voice ? [{ name: VOICE, kind: 'voice' as const }] : []),
  ]
  const health: HealthService = {
    async read(range, caller) {
      // The counts of this process are current; those of others are a few seconds old.
      await recorder.flush()
      const { pieces, ...window } = windowOf(range, Date.now())
      const viewer = viewerOf(caller)
      const answeredMs = await timeToAnswer(database)
      const [samples, failures, stored, processes, queues, failedJobs, itself] = await Promise.all([
        store.samples(window),
        store.failures(window.from, viewer, MOST_LISTED),
        store.providers(),
        store.processes(),
        store.queues(),
        store.failedJobs(viewer, MOST_LISTED),
        store.database(),
      ])
      return {
        range,
        from: window.from,
        pieceSeconds: window.pieceSeconds,
        charts: chartsOf(samples, pieces),
        routes: routesOf(samples),
        failures: [...failures],
        providers: known().map((one) =>
          providerHealth(
            one,
            stored.find(({ name }) => name === one.name),
          ),
        ),
        database: { ...itself, answeredMs },
        processes: [...processes],
        queues: [...queues],
        failedJobs: failedJobs.map((job) => ({ ...job, problem: mask(job.problem).slice(0, 500) })),
      }
    },

    async probe(name) {
      const provider = known().find((one) => one.name === name)
      if (!provider) throw noProvider(name, known())
      if (provider.missing === undefined) await ask(provider, parts)
      await recorder.flush()
      const stored = await store.providers()
      return providerHealth(
        provider,
        stored.find((one) => one.name === name),
      )
    },

    async retryJob(jobId, { personId }) {
      const retried = await store.retryJob(jobId, personId)
      if (retried.kind === 'retried') return { jobId, queue: retried.queue }
      throw new PlatformError('not_found', { message: WHY_NOT[retried.kind] })
    },
  }
  return { health, recorder }
}

const WHY_NOT = {
  unknown: 'No job of this id has failed. Jobs that failed are kept for a day; GET /v1/health lists them.',
  retried_before: 'This job was put into its queue again already. What becomes of it is a job of its own.',
} as const

const viewerOf = ({ personId, role }: Caller) => ({ personId, isOwner: role === 'owner' })

async function timeToAnswer({ ready }: Pick<Database, 'ready'>): Promise<number> {
  const began = performance.now()
  await ready()
  return performance.now() - began
}

/** Why a provider cannot be asked as it is set. */
function missingOf(providers: Providers, name: string): string | undefined {
  try {
    providers.modelOf(name, 'any')
    return undefined
  } catch (failure) {
    if (failure instanceof PlatformError && failure.code === 'config_invalid') return failure.message
    throw failure
  }
}

/** By a call that costs nothing; how it ended is noted. */
async function ask({ name, kind }: KnownProvider, { providers, voice, recorder, mask }: HealthParts) {
  const signal = AbortSignal.timeout(PROBE_MS)
  if (kind === 'voice') {
    // Its outcome is noted where all calls of the provider are.
    await voice?.provider.listConversations({}, signal).catch(() => undefined)
    return
  }
  const outcome = await providers().test(name, signal)
  recorder.provider(
    name,
    outcome.kind === 'ok'
      ? { kind: 'worked', at: new Date().toISOString() }
      : failedOutcome(outcome.error, undefined, mask),
  )
}

const noProvider = (name: string, known: readonly KnownProvider[]) =>
  new PlatformError('not_found', {
    message: `This server has no provider ${name}. It has: ${known.map((one) => one.name).join(', ')}.`,
  })

/** The resolution of each range. */
const PIECES: Record<HealthRange, { readonly count: number; readonly seconds: number }> = {
  '1h': { count: 60, seconds: 60 },
  '24h': { count: 96, seconds: 900 },
  '7d': { count: 168, seconds: 3_600 },
}

/** The time span of a range: whole steps, the last one still running. */
export function windowOf(range: HealthRange, now: number): HealthWindow & { readonly pieces: number } {
  const { count, seconds } = PIECES[range]
  const to = (Math.floor(now / 1_000 / seconds) + 1) * seconds
  return {
    from: new Date((to - count * seconds) * 1_000).toISOString(),
    to: new Date(to * 1_000).toISOString(),
    pieceSeconds: seconds,
    pieces: count,
  }
}

/** A provider as it is configured. */
interface KnownProvider {
  readonly name: string
  readonly kind: ProviderHealth['kind']
  /** The missing setting, if it cannot be probed. */
  readonly missing?: string
  /** Whether it is a part of this program, and so never out of reach. */
  readonly isBuiltIn?: boolean
}

/** How a provider stands, from how it is set up and how it answered last. */
function providerHealth(known: KnownProvider, stored: StoredProvider | undefined): ProviderHealth {
  const { name, kind, missing, isBuiltIn } = known
  if (missing !== undefined) {
    return { name, kind, state: 'not_set_up', code: 'config_invalid', problem: missing }
  }
  if (isBuiltIn)
    return { name, kind, state: 'working', ...(stored?.workedAt && { workedAt: stored.workedAt }) }
  if (!stored) return { name, kind, state: 'untried' }
  const { code, ...rest } = stored
  const ofLast = ErrorCode.safeParse(code)
  return {
    ...rest,
    name,
    kind,
    state: stored.failingSince === undefined ? 'working' : 'failing',
    ...(ofLast.success && { code: ofLast.data }),
  }
}

const MOST_ROUTES = 20

/** Which routes were asked how often and how they answered; those with failures first, then the busiest. */
export function routesOf(samples: readonly SummedSample[]): RouteHealth[] {
  const routes = new Map<string, RouteHealth & { readonly ms: number }>()
  for (const { what, label, count, sum } of samples) {
    if (what !== 'request') continue
    const at = label.lastIndexOf(' ')
    const route = label.slice(0, at)
    const before = routes.get(route) ?? { route, requests: 0, refused: 0, failed: 0, averageMs: 0, ms: 0 }
    const requests = before.requests + count
    const ms = before.ms + sum
    routes.set(route, {
      route,
      requests,
      refused: before.refused + (label.endsWith(' 4xx') ? count : 0),
      failed: before.failed + (label.endsWith(' 5xx') ? count : 0),
      averageMs: ms / requests,
      ms,
    })
  }
  return [...routes.values()]
    .toSorted((one, other) => other.failed - one.failed || other.requests - one.requests)
    .slice(0, MOST_ROUTES)
    .map(({ route, requests, refused, failed, averageMs }) => ({
      route,
      requests,
      refused,
      failed,
      averageMs,
    }))
}

/** The lines of a chart, each with a value for every interval. */
export function chartsOf(samples: readonly SummedSample[], pieces: number): HealthCharts {
  const of = (what: SummedSample['what']) => samples.filter((sample) => sample.what === what)
  const requests = of('request')
  return {
    requests: counted(requests, ({ label }) => answeredOf(label), pieces, ['answered', 'refused', 'failed']),
    responseMs: timed(requests, pieces),
    turns: counted(of('turn'), ({ label }) => endingOf(label), pieces, ['completed', 'cancelled', 'failed']),
    firstWordMs: timed(of('model'), pieces),
    cost: summed(of('cost'), pieces),
    sessions: counted(of('session'), ({ label }) => label, pieces, ['text', 'voice']),
    retrievalMs: timed(of('retrieval'), pieces),
  }
}

/** By the last word of a request's label, which is the class of its status. */
const answeredOf = (label: string) =>
  label.endsWith(' 5xx') ? 'failed' : label.endsWith(' 4xx') ? 'refused' : 'answered'

const ENDINGS: Readonly<Record<string, string>> = {
  completed: 'completed',
  max_tokens: 'completed',
  cancelled: 'cancelled',
}
const endingOf = (label: string) => ENDINGS[label] ?? 'failed'

/** Nothing was counted is nought of it: who counts was there. */
function counted(
  samples: readonly SummedSample[],
  labelOf: (sample: SummedSample) => string,
  pieces: number,
  labels: readonly string[],
): HealthSeries[] {
  return labels.map((label) => {
    const values = Array.from({ length: pieces }, () => 0)
    for (const sample of samples) {
      if (labelOf(sample) === label) values[sample.piece] = (values[sample.piece] ?? 0) + sample.count
    }
    return { label, values: values.slice(0, pieces) }
  })
}

function summed(samples: readonly SummedSample[], pieces: number): HealthSeries[] {
  const labels = [...new Set(samples.map(({ label }) => label))].toSorted()
  return labels.map((label) => {
    const values = Array.from({ length: pieces }, () => 0)
    for (const sample of samples) {
      if (sample.label === label) values[sample.piece] = (values[sample.piece] ?? 0) + sample.sum
    }
    return { label, values: values.slice(0, pieces) }
  })
}

const SHARES = [
  { label: 'half took at most', share: 0.5 },
  { label: '95% took at most', share: 0.95 },
] as const

function timed(samples: readonly SummedSample[], pieces: number): HealthSeries[] {
  const spreads = Array.from({ length: pieces }, (): Spread => NOTHING_TIMED)
  for (const { piece, spread } of samples)
    spreads[piece] = addSpreads(spreads[piece] ?? NOTHING_TIMED, spread)
  return SHARES.map(({ label, share }) => ({
    label,
    values: spreads.slice(0, pieces).map((spread) => withinMs(spread, share) ?? null),
  }))
}
