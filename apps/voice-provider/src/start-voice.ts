import { setTimeout as pause } from 'node:timers/promises'
import type { ModelPort } from '@parley/engine'
import type { ProviderSettings } from '@parley/llm'
import { openProvider } from '@parley/postgres'
import { openSpeech } from '@parley/offline-speech'
import type { Speech } from '@parley/speech'
import type { Logger } from 'pino'
import { startTestRunner } from './agent-tests/start-test-runner.ts'
import type { AgentDocument } from './agents/agent-document.ts'
import { createAgents } from './agents/agents.ts'
import type { ConversationHost } from './conversation/conversation-host.ts'
import { createFaults } from './faults/faults.ts'
import { listen } from './listen.ts'
import { modelFor as modelsOf } from './model-for.ts'
import { createRest } from './rest/create-rest.ts'
import type { RestServices } from './rest/rest-env.ts'
import { conversationKeeper } from './store-glue/conversation-keeper.ts'
import { failDead } from './store-glue/fail-dead.ts'
import { workspace } from './store-glue/workspace.ts'
import { takeConversations } from './take-conversations.ts'
import { LOCAL_VOICES } from './voices.ts'
import { deliveriesOf } from './webhooks/deliveries-of.ts'
import { startDeliverer } from './webhooks/start-deliverer.ts'

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
    const sweep = failDead({ store, deliveriesOf: toTell, onFailed: () => deliverer.wake(), logger })
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
