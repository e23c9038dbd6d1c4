import { PlatformError } from '@parley/contracts'
import type { Providers, ProviderSettings } from '@parley/llm'
import { type Database, failedOutcome, type HealthRecorder } from '@parley/postgres'
import type { Caller } from '../auth/authenticate.ts'
import type { Services } from '../services.ts'
import type { VoiceSettings } from '../voice/voice-settings.ts'
import { chartsOf } from './charts-of.ts'
import type { HealthService } from './health-service.ts'
import { type KnownProvider, providerHealth } from './provider-health.ts'
import { routesOf } from './routes-of.ts'
import { VOICE } from './watched-provider.ts'
import { windowOf } from './window-of.ts'

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
      // What this process counted is told to the moment; others are at most a few seconds behind.
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
      const asked = known().find((one) => one.name === name)
      if (!asked) throw noProvider(name, known())
      if (asked.missing === undefined) await ask(asked, parts)
      await recorder.flush()
      const stored = await store.providers()
      return providerHealth(
        asked,
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
