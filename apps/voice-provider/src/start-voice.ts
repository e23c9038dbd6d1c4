import type { Server } from 'node:http'
import { serve } from '@hono/node-server'
import type { Logger } from 'pino'
import { PlatformError } from '@parley/contracts'
import type { ModelPort } from '@parley/engine'
import type { ProviderSettings } from '@parley/llm'
import { openSpeech } from '@parley/offline-speech'
import { type ProviderStore, type StoredDocument, openProvider } from '@parley/postgres'
import type { Speech } from '@parley/speech'
import { startTestRunner } from './agent-tests/start-test-runner.ts'
import type { AgentDocument } from './agents/agent-document.ts'
import type { ResponseMock } from './agents/agent-test.ts'
import { createAgentStore } from './agents/agent-store.ts'
import type { ToolConfig, ToolDocument } from './agents/tool-document.ts'
import type { ConversationHost } from './conversation/conversation-document.ts'
import { createFaults } from './faults.ts'
import {
  createConversationKeeper,
  createDeliveryFactory,
  failDeadConversations,
} from './keep-conversations.ts'
import { createModelSelector } from './model-selector.ts'
import { createRest } from './rest/create-rest.ts'
import type { LocalVoice, RestServices } from './rest/rest-env.ts'
import { acceptConversations } from './accept-conversations.ts'
import { waitAtMost } from './wait.ts'
import { startDeliverer } from './webhooks/deliverer.ts'

export interface VoiceOptions {
  readonly databaseUrl: string
  /** 0 picks a free port. */
  readonly port: number
  /** Address to listen on. Default: loopback. */
  readonly host?: string
  /** Host names besides localhost that clients may use. */
  readonly hosts?: readonly string[]
  /** The only accepted API key. */
  readonly apiKey: string
  readonly logger: Logger
  /** Providers of the models that agents name. The offline model replaces all others. */
  readonly providers?: readonly ProviderSettings[]
  /** Replaces `providers`. */
  readonly selectModel?: (agent: AgentDocument) => Promise<ModelPort>
  /** Maximum number of parallel spoken calls. Default: 8. */
  readonly spokenCalls?: number
  /** Replaces the built-in speech. */
  readonly speech?: Speech
  /** Called when a client is about to call: time to load the speech models. */
  readonly onCallExpected?: () => void
}

export interface RunningVoice {
  readonly url: string
  /** Ends and stores all conversations, then stops the server. */
  stop(): Promise<void>
}

/** An unreachable database must not block the shutdown. */
const STOP_MS = 8_000
/** Spoken calls share a few threads; typed calls cost little. */
const MAX_SPOKEN_CALLS = 8
const MAX_TYPED_CALLS = 500

/** Starts the local voice provider. The database must exist and be migrated. */
export async function startVoice(options: VoiceOptions): Promise<RunningVoice> {
  const { databaseUrl, port, host = '127.0.0.1', hosts = [], apiKey, logger, providers = [] } = options
  const onError = (err: unknown) => logger.error({ err }, 'voice')
  const store = await openProvider({ databaseUrl, onError })
  const speech = options.speech ?? openSpeech({ onError })
  const lookups = createLookups(store)
  const faults = createFaults()
  const agents = createAgentStore(store)
  const deliverer = startDeliverer({ store, now: Date.now, onError })
  const createDeliveries = createDeliveryFactory({ agents, store, faults, now: Date.now })
  const keeper = createConversationKeeper(store, createDeliveries)
  const selectModel =
    options.selectModel ?? createModelSelector({ providers, readSecret: lookups.readSecret })
  const tests = startTestRunner({ ...lookups, store, selectModel, now: Date.now, onError })
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
    onCallExpected: options.onCallExpected ?? (() => {}),
  }
  const conversationHost: ConversationHost = {
    ...lookups,
    ...keeper,
    async finish(record, audio) {
      await keeper.finish(record, audio)
      deliverer.wake()
    },
    selectModel,
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
    const conversations = acceptConversations(listening.server, services, conversationHost, {
      spoken: options.spokenCalls ?? MAX_SPOKEN_CALLS,
      typed: MAX_TYPED_CALLS,
    })
    const sweep = failDeadConversations({ store, createDeliveries, onFailed: () => deliverer.wake(), logger })
    return {
      url: listening.url,
      async stop() {
        await waitAtMost(STOP_MS, conversations.stop())
        await listening.close()
        await waitAtMost(STOP_MS, sweep.stop())
        await waitAtMost(STOP_MS, release())
      },
    }
  } catch (failure) {
    await release()
    throw failure
  }
}

/** Voices of the built-in speech. The first one is used for unknown ids. */
const LOCAL_VOICES: readonly LocalVoice[] = [
  { voiceId: 'slt', name: 'Slt', description: 'A woman’s voice, American' },
  { voiceId: 'rms', name: 'Rms', description: 'A man’s voice, American' },
  { voiceId: 'awb', name: 'Awb', description: 'A man’s voice, Scottish' },
  { voiceId: 'kal', name: 'Kal', description: 'An old, plain voice' },
]

/** Looks things up for running conversations. */
export function createLookups({
  documents,
}: Pick<ProviderStore, 'documents'>): Pick<
  ConversationHost,
  'findTools' | 'readSecret' | 'readEnvironmentValue'
> {
  const readSecret = (secretId: string) => documents.readSecret('secret', secretId)
  return {
    readSecret,
    async findTools(ids) {
      const found = await Promise.all(ids.map((id) => documents.get('tool', id)))
      return found.flatMap((tool) => (tool ? [toToolDocument(tool)] : []))
    },
    async readEnvironmentValue(label, environment) {
      const { items } = await documents.list('environment_variable', { limit: 1, contains: { label } })
      const values = items[0]?.body['values'] as Readonly<Record<string, EnvironmentValue>> | undefined
      // An environment without its own value uses the production value.
      const value = values?.[environment] ?? values?.['production']
      return typeof value === 'object' ? readSecret(value.secret_id) : value
    },
  }
}

const toToolDocument = ({ id, body }: StoredDocument): ToolDocument => ({
  id,
  tool_config: body['tool_config'] as unknown as ToolConfig,
  response_mocks: (body['response_mocks'] ?? []) as unknown as readonly ResponseMock[],
})

type EnvironmentValue = string | { readonly secret_id: string }

interface ListeningServer {
  readonly url: string
  readonly server: Server
  close(): Promise<void>
}

/** Time limit for receiving a request. */
const MAX_SENDING_MS = 10_000

/** Listens on one address; port 0 picks a free port. */
export function listen(
  fetch: (request: Request) => Response | Promise<Response>,
  host: string,
  port: number,
  mostSendingMs = MAX_SENDING_MS,
): Promise<ListeningServer> {
  return new Promise((resolve, reject) => {
    const serverOptions = {
      requestTimeout: mostSendingMs,
      headersTimeout: mostSendingMs,
      connectionsCheckingInterval: mostSendingMs / 10,
    }
    const server = serve({ fetch, hostname: host, port, serverOptions }, (address) => {
      const name = host.includes(':') ? `[${host}]` : host
      resolve({ url: `http://${name}:${address.port}`, server, close: () => closeServer(server) })
    }) as Server
    server.once('error', (cause: NodeJS.ErrnoException) => {
      reject(cause.code === 'EADDRINUSE' ? createPortTakenError(port) : cause)
    })
  })
}

const createPortTakenError = (port: number) =>
  new PlatformError('config_invalid', {
    port,
    message: `Port ${port} is in use. Set PARLEY_VOICE_PORT to another port, or to 0 for a free one.`,
  })

async function closeServer(server: Server): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve))
  server.closeAllConnections()
  await closed
}
