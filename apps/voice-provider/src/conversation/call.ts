import type { AgentDocument } from '../agents/agent-document.ts'
import { createSecretMask, type SecretMask } from '../tools-of-agent/secret-mask.ts'
import type { Variables } from '../tools-of-agent/variables.ts'
import { type CallAudio, createCallAudio } from './call-audio.ts'
import type { Initiation } from './client-frame.ts'
import type { ConversationHost } from './conversation-host.ts'
import type { ConversationMetadata, ConversationRecord } from './conversation-record.ts'
import { conversationRecordOf } from './conversation-record-of.ts'
import type { Ending } from './ending.ts'
import type { Prepared } from './prepare-conversation.ts'
import { systemVariables } from './system-variables.ts'
import { createTranscript, type Transcript } from './transcript.ts'

export interface ConversationOpening {
  readonly agent: AgentDocument
  readonly conversationId: string
  readonly authorization: ConversationMetadata['authorization_method']
  /** Which values of environment variables are meant, where the client does not say. */
  readonly environment?: string | undefined
  readonly host: ConversationHost
  /** The server stops. */
  readonly signal: AbortSignal
  /** Somebody with the key ends this call. */
  readonly hangUp: AbortSignal
}

/** What is known of a conversation, and where it is kept. */
export interface Call {
  readonly transcript: Transcript
  readonly audio: CallAudio
  readonly secrets: SecretMask
  readonly nextEventId: () => number
  initiation(): Initiation
  initiate(initiation: Initiation): void
  begin(prepared: Extract<Prepared, { kind: 'ready' }>): void
  environment(): string
  /** As they are now: the provider's own, the client's, and what tools have set. */
  readonly variables: () => Variables
  readonly assign: (variables: Variables) => void
  readonly assignFromClient: (variables: Variables) => void
  /** Whether the client says what a variable is. */
  readonly isFromClient: (name: string) => boolean
  record(): ConversationRecord
  /** Keeps it as it is now, in its own time. */
  keep(): void
  /** False where it had ended already. */
  end(ending: Ending): boolean
  hasEnded(): boolean
  /** Keeps its end; never throws. */
  finish(): Promise<void>
}

export function createCall(opening: ConversationOpening): Call {
  const { conversationId, authorization, host } = opening
  const { now } = host
  const startedAt = now()
  const secrets = createSecretMask()
  const transcript = createTranscript(() => Math.round((now() - startedAt) / 1_000), secrets)
  const audio = createCallAudio(startedAt)
  let agent = opening.agent
  let initiation: Initiation = { type: 'conversation_initiation_client_data' }
  let own: Variables = {}
  const sentByClient = new Set<string>()
  let eventId = 0
  let ending: Ending | undefined
  let saving: Promise<void> = Promise.resolve()
  let isToBeSaved = false

  const variables = (): Variables => ({
    ...own,
    ...systemVariables({
      agentId: agent.agentId,
      conversationId,
      startedAt,
      now: now(),
      timezone: agent.conversation_config.agent.prompt.timezone,
    }),
  })
  const setOwn = (next: Variables) => {
    own = next
    secrets.addFrom(next)
  }
  const fromClient = (given: Variables) => {
    for (const name of Object.keys(given)) sentByClient.add(name)
    setOwn({ ...own, ...given })
  }
  const environment = () => initiation.environment ?? opening.environment ?? 'production'
  const record = () =>
    conversationRecordOf({
      agent,
      conversationId,
      authorization,
      environment: environment(),
      initiation: secrets.mask(initiation),
      variables: secrets.mask(variables()),
      startedAt,
      now: now(),
      transcript: transcript.entries(),
      audio: isRecorded(agent) ? audio.has() : { user: false, agent: false },
      ending,
    })

  return {
    transcript,
    audio,
    secrets,
    nextEventId: () => (eventId += 1),
    initiation: () => initiation,
    initiate(given) {
      initiation = given
      fromClient(given.dynamic_variables ?? {})
    },
    begin(prepared) {
      agent = prepared.agent
      setOwn(prepared.variables)
    },
    environment,
    variables,
    assign: (assigned) => setOwn({ ...own, ...assigned }),
    assignFromClient: fromClient,
    isFromClient: (name) => sentByClient.has(name),
    record,
    keep() {
      if (isToBeSaved) return
      isToBeSaved = true
      saving = saving
        .then(() => {
          isToBeSaved = false
          return host.save(record())
        })
        .catch(host.onError)
    },
    end(why) {
      if (ending) return false
      ending = why
      return true
    },
    hasEnded: () => ending !== undefined,
    async finish() {
      await saving
      try {
        await host.finish(record(), isRecorded(agent) ? audio.wav() : undefined)
      } catch (thrown) {
        host.onError(thrown)
      }
    },
  }
}

const isRecorded = ({ platform_settings: { privacy } }: AgentDocument): boolean =>
  privacy.record_voice && !privacy.zero_retention_mode
