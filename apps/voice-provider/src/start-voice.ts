import type { Server } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { serve } from '@hono/node-server'
import type { Logger } from 'pino'
import { PlatformError } from '@parley/contracts'
import type { ModelPort } from '@parley/engine'
import type { ProviderSettings } from '@parley/llm'
import { openSpeech } from '@parley/offline-speech'
import { type Body, type ProviderStore, type StoredDocument, openProvider } from '@parley/postgres'
import type { Speech } from '@parley/speech'
import { startTestRunner } from './agent-tests/start-test-runner.ts'
import type { AgentDocument } from './agents/agent-document.ts'
import type { ResponseMock } from './agents/agent-test.ts'
import { createAgents } from './agents/agents.ts'
import type { ToolConfig, ToolDocument } from './agents/tool-document.ts'
import type { ConversationHost, ConversationRecord } from './conversation/conversation-record.ts'
import { createFaults } from './faults.ts'
import { type DeliveriesOf, conversationKeeper, deliveriesOf } from './keep-conversations.ts'
import { modelFor as modelsOf } from './model-for.ts'
import { createRest } from './rest/create-rest.ts'
import type { LocalVoice, RestServices } from './rest/rest-env.ts'
import { takeConversations } from './take-conversations.ts'
import { startDeliverer } from './webhooks/deliver.ts'

export interface VoiceOptions {
  readonly databaseUrl: string
  /** 0 takes any free one. */
  readonly port: number
  /** The address to listen on: loopback, unless told otherwise. */
  readonly host?: string
  /** Names besides localhost by which the server may be called. */
  readonly hosts?: readonly string[]
  /** The one key that is accepted. */
  readonly apiKey: string
  readonly logger: Logger
  /** Who runs the models that agents name; the offline one answers for all others. */
  readonly providers?: readonly ProviderSettings[]
  /** In place of the providers. */
  readonly modelFor?: (agent: AgentDocument) => Promise<ModelPort>
  /** How many spoken calls are taken at once; 8 where absent. */
  readonly spokenCalls?: number
  /** In place of the speech that comes with Parley. */
  readonly speech?: Speech
  /** Told that somebody is about to call: time to load what hears and speaks. */
  readonly onAwaited?: () => void
}

export interface RunningVoice {
  readonly url: string
  /** Ends all conversations, which keeps them, then stops serving. */
  stop(): Promise<void>
}

/** A database that is gone must not keep the process from ending. */
const STOP_MS = 8_000
/** Hearing and speaking share a few threads; text costs next to nothing. */
const MOST_SPOKEN_CALLS = 8
const MOST_TYPED_CALLS = 500

/** The local voice provider, on a database that is there and migrated. */
export async function startVoice(options: VoiceOptions): Promise<RunningVoice> {
  const { databaseUrl, port, host = '127.0.0.1', hosts = [], apiKey, logger, providers = [] } = options
  const onError = (err: unknown) => logger.error({ err }, 'voice')
  const store = await openProvider({ databaseUrl, onError })
  const speech = options.speech ?? openSpeech({ onError })
  const lookUp = workspace(store)
  const faults = createFaults()
  const agents = createAgents(store)
  const deliverer = startDeliverer({ store, now: Date.now, onError })
  const toTell = deliveriesOf({ agents, store, faults, now: Date.now })
  const keeper = conversationKeeper(store, toTell)
  const modelFor = options.modelFor ?? modelsOf({ providers, secretValue: lookUp.secretValue })
  const tests = startTestRunner({ ...lookUp, store, modelFor, now: Date.now, onError })
  const services: RestServices = {
    store,
    agents,
    faults,
    apiKey,
    hosts,
    voices: LOCAL_VOICES,
    runTests: tests.runTests,
    logger,
    now: Date.now,
    onAwaited: options.onAwaited ?? (() => {}),
  }
  const conversationHost: ConversationHost = {
    ...lookUp,
    ...keeper,
    async finish(record, audio) {
      await keeper.finish(record, audio)
      deliverer.wake()
    },
    modelFor,
    speech,
    faults,
    now: Date.now,
    onError,
  }
  const release = async () => {
    await Promise.all([deliverer.stop(), tests.stop()])
    await speech.close()
    await store.close()
  }
  try {
    const rest = createRest(services)
    const listening = await listen((request) => rest.fetch(request), host, port)
    const conversations = takeConversations(listening.server, services, conversationHost, {
      spoken: options.spokenCalls ?? MOST_SPOKEN_CALLS,
      typed: MOST_TYPED_CALLS,
    })
    const sweep = failDead({ store, dueFor: toTell, onFailed: () => deliverer.wake(), logger })
    return {
      url: listening.url,
      async stop() {
        await within(STOP_MS, conversations.stop())
        await listening.close()
        await within(STOP_MS, sweep.stop())
        await within(STOP_MS, release())
      },
    }
  } catch (failure) {
    await release()
    throw failure
  }
}

const within = (ms: number, work: Promise<void>) => Promise.race([work, pause(ms, undefined, { ref: false })])

/** Those of the speech that comes with Parley; the first speaks for any id that is none of them. */
const LOCAL_VOICES: readonly LocalVoice[] = [
  { voiceId: 'slt', name: 'Slt', description: 'A woman’s voice, American' },
  { voiceId: 'rms', name: 'Rms', description: 'A man’s voice, American' },
  { voiceId: 'awb', name: 'Awb', description: 'A man’s voice, Scottish' },
  { voiceId: 'kal', name: 'Kal', description: 'An old, plain voice' },
]

/** What conversations look up in the workspace while they run. */
export function workspace({
  documents,
}: Pick<ProviderStore, 'documents'>): Pick<
  ConversationHost,
  'findTools' | 'secretValue' | 'environmentValue'
> {
  const secretValue = (secretId: string) => documents.secretOf('secret', secretId)
  return {
    secretValue,
    async findTools(ids) {
      const found = await Promise.all(ids.map((id) => documents.get('tool', id)))
      return found.flatMap((tool) => (tool ? [toolOf(tool)] : []))
    },
    async environmentValue(label, environment) {
      const { items } = await documents.list('environment_variable', { limit: 1, contains: { label } })
      const values = items[0]?.body['values'] as Readonly<Record<string, Value>> | undefined
      // What an environment does not say for itself holds as in production.
      const value = values?.[environment] ?? values?.['production']
      return typeof value === 'object' ? secretValue(value.secret_id) : value
    },
  }
}

const toolOf = ({ id, body }: StoredDocument): ToolDocument => ({
  id,
  tool_config: body['tool_config'] as unknown as ToolConfig,
  response_mocks: (body['response_mocks'] ?? []) as unknown as readonly ResponseMock[],
})

type Value = string | { readonly secret_id: string }

interface Listening {
  readonly url: string
  readonly server: Server
  close(): Promise<void>
}

/** How long a client may take to send a request. */
const MOST_SENDING_MS = 10_000

/** Serves on one address; `port` 0 takes any free one. */
export function listen(
  fetch: (request: Request) => Response | Promise<Response>,
  host: string,
  port: number,
  mostSendingMs = MOST_SENDING_MS,
): Promise<Listening> {
  return new Promise((resolve, reject) => {
    const serverOptions = {
      requestTimeout: mostSendingMs,
      headersTimeout: mostSendingMs,
      connectionsCheckingInterval: mostSendingMs / 10,
    }
    const server = serve({ fetch, hostname: host, port, serverOptions }, (address) => {
      const name = host.includes(':') ? `[${host}]` : host
      resolve({ url: `http://${name}:${address.port}`, server, close: () => close(server) })
    }) as Server
    server.once('error', (cause: NodeJS.ErrnoException) => {
      reject(cause.code === 'EADDRINUSE' ? portTaken(port) : cause)
    })
  })
}

const portTaken = (port: number) =>
  new PlatformError('config_invalid', {
    port,
    message: `Port ${port} is taken by another program. Set PARLEY_VOICE_PORT to another one, or to 0 for any free one.`,
  })

async function close(server: Server): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve))
  server.closeAllConnections()
  await closed
}

const EVERY_MS = 5_000

interface FailDeadHost {
  readonly store: Pick<ProviderStore, 'conversations'>
  readonly dueFor: DeliveriesOf
  readonly onFailed: () => void
  readonly logger: Logger
}

/** Fails, again and again, the conversations whose process died, and lets the webhooks know. */
function failDead({ store: { conversations }, dueFor, onFailed, logger }: FailDeadHost) {
  let timer: NodeJS.Timeout | undefined
  let sweeping: Promise<void> | undefined
  let stopped = false

  const sweep = async () => {
    try {
      const failed = await conversations.failDead(async (body) => {
        const failedBody = bodyOfFailed(body)
        const record = failedBody as unknown as ConversationRecord
        return { body: failedBody, deliveries: await dueFor(record, undefined) }
      })
      if (failed.length > 0) logger.warn({ failed }, 'failed conversations whose process died')
      if (failed.length > 0) onFailed()
    } catch (err) {
      logger.warn({ err }, 'could not look for conversations whose process died')
    }
    if (!stopped) timer = setTimeout(start, EVERY_MS).unref()
  }
  const start = () => {
    sweeping = sweep()
  }

  start()
  return {
    async stop() {
      stopped = true
      clearTimeout(timer)
      await sweeping
    },
  }
}

const bodyOfFailed = (body: Body): Body => ({
  ...body,
  status: 'failed',
  metadata: {
    ...(body['metadata'] as Body),
    termination_reason: 'The provider stopped',
    error: { code: 1011, reason: 'The process that held the conversation died' },
  },
})
