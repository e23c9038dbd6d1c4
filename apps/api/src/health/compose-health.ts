import { ErrorCode, PlatformError, type ProviderHealth } from '@parley/contracts'
import type { ProviderSettings, Providers } from '@parley/llm'
import { type Database, type HealthRecorder, type StoredProvider, toFailedOutcome } from '@parley/postgres'
import type { Caller } from '../auth/authenticate.ts'
import type { HealthService, Services } from '../services.ts'
import type { VoiceSettings } from '../reflections/voice-settings.ts'
import { buildCharts, summarizeRoutes, toHealthWindow } from './health-charts.ts'
import { VOICE_PROVIDER_NAME } from './watch-provider.ts'

interface HealthParts {
  readonly database: Pick<Database, 'health' | 'ready'>
  readonly recorder: HealthRecorder
  readonly settings: () => readonly ProviderSettings[]
  readonly providers: () => Providers
  readonly voice: VoiceSettings | undefined
  readonly mask: (text: string) => string
}

const PROBE_MS = 20_000
const MAX_LISTED = 50

export function composeHealth(parts: HealthParts): Pick<Services, 'health' | 'recorder'> {
  const { database, recorder, settings, providers, voice, mask } = parts
  const { health: store } = database

  const known = (): readonly KnownProvider[] => [
    ...settings().map(({ name, kind }) => {
      const missing = findMissingSetting(providers(), name)
      return {
        name,
        kind: 'model' as const,
        ...(kind === 'offline' && { isBuiltIn: true }),
        ...(missing !== undefined && { missing: mask(missing) }),
      }
    }),
    ...(voice ? [{ name: VOICE_PROVIDER_NAME, kind: 'voice' as const }] : []),
  ]
  const health: HealthService = {
    async read(range, caller) {
      // The counts of this process are current; those of others are a few seconds old.
      await recorder.flush()
      const { pieces, ...window } = toHealthWindow(range, Date.now())
      const viewer = toViewer(caller)
      const answeredMs = await measureDatabase(database)
      const [samples, failures, stored, processes, queues, failedJobs, itself] = await Promise.all([
        store.sumSamples(window),
        store.listFailures(window.from, viewer, MAX_LISTED),
        store.listProviders(),
        store.listProcesses(),
        store.listQueues(),
        store.listFailedJobs(viewer, MAX_LISTED),
        store.describeDatabase(),
      ])
      return {
        range,
        from: window.from,
        pieceSeconds: window.pieceSeconds,
        charts: buildCharts(samples, pieces),
        routes: summarizeRoutes(samples),
        failures: [...failures],
        providers: known().map((one) =>
          toProviderHealth(
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
      if (!provider) throw createNoProviderError(name, known())
      if (provider.missing === undefined) await probeProvider(provider, parts)
      await recorder.flush()
      const stored = await store.listProviders()
      return toProviderHealth(
        provider,
        stored.find((one) => one.name === name),
      )
    },

    async retryJob(jobId, { personId }) {
      const retried = await store.retryJob(jobId, personId)
      if (retried.kind === 'retried') return { jobId, queue: retried.queue }
      throw new PlatformError('not_found', { message: RETRY_REFUSALS[retried.kind] })
    },
  }
  return { health, recorder }
}

const RETRY_REFUSALS = {
  unknown: 'No failed job has this id. Failed jobs are kept for a day; GET /v1/health lists them.',
  retried_before: 'This job was queued again already, as a new job.',
} as const

const toViewer = ({ personId, role }: Caller) => ({ personId, isOwner: role === 'owner' })

async function measureDatabase({ ready }: Pick<Database, 'ready'>): Promise<number> {
  const began = performance.now()
  await ready()
  return performance.now() - began
}

/** The setting without which a provider cannot be called. */
function findMissingSetting(providers: Providers, name: string): string | undefined {
  try {
    providers.openModel(name, 'any')
    return undefined
  } catch (failure) {
    if (failure instanceof PlatformError && failure.code === 'config_invalid') return failure.message
    throw failure
  }
}

/** Makes a free call and records its outcome. */
async function probeProvider(
  { name, kind }: KnownProvider,
  { providers, voice, recorder, mask }: HealthParts,
) {
  const signal = AbortSignal.timeout(PROBE_MS)
  if (kind === 'voice') {
    // The watched provider records the outcome.
    await voice?.provider.listConversations({}, signal).catch(() => undefined)
    return
  }
  const outcome = await providers().test(name, signal)
  recorder.recordProviderOutcome(
    name,
    outcome.kind === 'ok'
      ? { kind: 'worked', at: new Date().toISOString() }
      : toFailedOutcome(outcome.error, undefined, mask),
  )
}

const createNoProviderError = (name: string, known: readonly KnownProvider[]) =>
  new PlatformError('not_found', {
    message: `This server has no provider ${name}. It has: ${known.map((one) => one.name).join(', ')}.`,
  })

/** A provider as it is configured. */
interface KnownProvider {
  readonly name: string
  readonly kind: ProviderHealth['kind']
  /** The missing setting, if it cannot be probed. */
  readonly missing?: string
  /** Whether it is a part of this program, and so always available. */
  readonly isBuiltIn?: boolean
}

/** A provider's state, from its settings and its last answer. */
function toProviderHealth(known: KnownProvider, stored: StoredProvider | undefined): ProviderHealth {
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
