import {
  type SecretMask,
  type VariableValues,
  createSecretMask,
  omitSecrets,
} from '../agent-tools/variables.ts'
import type { AgentDocument } from '../agents/agent-document.ts'
import { createBackgroundSaver } from '../background-saver.ts'
import { toUnixSeconds } from '../documents.ts'
import { type CallAudio, createCallAudio } from './call-audio.ts'
import type { Initiation } from './client-frame.ts'
import {
  type ConversationHost,
  type ConversationMetadata,
  type ConversationDocument,
  type CallTranscript,
  type CallTranscriptEntry,
  createCallTranscript,
} from './conversation-document.ts'
import { type PreparedConversation, buildSystemVariables } from './prepare-conversation.ts'
import type { ErrorType } from './server-event.ts'

/** A call that may start. */
export interface AdmittedCall {
  readonly agent: AgentDocument
  readonly conversationId: string
  readonly authorization: ConversationMetadata['authorization_method']
  /** Environment for variable values, if the client names none. */
  readonly environment?: string | undefined
  readonly host: ConversationHost
  /** Aborts when the server stops. */
  readonly signal: AbortSignal
  /** Aborts when an operator ends this call. */
  readonly hangUp: AbortSignal
}

/** State and storage of one conversation. */
export interface ProviderCall {
  readonly transcript: CallTranscript
  readonly audio: CallAudio
  readonly secrets: SecretMask
  readonly nextEventId: () => number
  initiation(): Initiation
  initiate(initiation: Initiation): void
  begin(prepared: PreparedConversation): void
  environment(): string
  /** Current values: system variables, the client's, and those set by tools. */
  readonly variables: () => VariableValues
  readonly assign: (variables: VariableValues) => void
  readonly assignFromClient: (variables: VariableValues) => void
  /** Whether the client set this variable. */
  readonly isFromClient: (name: string) => boolean
  toDocument(): ConversationDocument
  readonly saveInBackground: () => void
  /** Returns false if it had already ended. */
  end(ending: CallEnding): boolean
  hasEnded(): boolean
  /** Stores the end. Never throws. */
  finish(): Promise<void>
}

export function createProviderCall(admitted: AdmittedCall): ProviderCall {
  const { conversationId, authorization, host } = admitted
  const { now } = host
  const startedAt = now()
  const secrets = createSecretMask()
  const variables = createCallVariables(secrets)
  const transcript = createCallTranscript(() => Math.round((now() - startedAt) / 1_000), secrets)
  const audio = createCallAudio(startedAt)
  let agent = admitted.agent
  let initiation: Initiation = { type: 'conversation_initiation_client_data' }
  let eventId = 0
  let ending: CallEnding | undefined

  const currentVariables = (): VariableValues => ({
    ...variables.values(),
    ...buildSystemVariables({
      agentId: agent.agentId,
      conversationId,
      startedAt,
      now: now(),
      timezone: agent.conversation_config.agent.prompt.timezone,
    }),
  })
  const environment = () => initiation.environment ?? admitted.environment ?? 'production'
  const toDocument = () =>
    toConversationDocument({
      agent,
      conversationId,
      authorization,
      environment: environment(),
      initiation: secrets.mask(initiation),
      variables: secrets.mask(currentVariables()),
      startedAt,
      now: now(),
      transcript: transcript.entries(),
      audio: isRecorded(agent) ? audio.has() : { user: false, agent: false },
      ending,
    })
  const saver = createBackgroundSaver(() => host.save(toDocument()), host.onError)

  return {
    transcript,
    audio,
    secrets,
    nextEventId: () => (eventId += 1),
    initiation: () => initiation,
    initiate(next) {
      initiation = next
      variables.assignFromClient(next.dynamic_variables ?? {})
    },
    begin(prepared) {
      agent = prepared.agent
      variables.assign(prepared.variables)
    },
    environment,
    variables: currentVariables,
    assign: variables.assign,
    assignFromClient: (changed) => variables.assignFromClient(changed),
    isFromClient: variables.isFromClient,
    toDocument,
    saveInBackground: () => saver.schedule(),
    end(next) {
      if (ending) return false
      ending = next
      return true
    },
    hasEnded: () => ending !== undefined,
    async finish() {
      await saver.settle()
      try {
        await host.finish(toDocument(), isRecorded(agent) ? audio.wav() : undefined)
      } catch (thrown) {
        host.onError(thrown)
      }
    },
  }
}

/** The variables of one call. New secrets among them are added to the mask. */
function createCallVariables(secrets: SecretMask) {
  const sentByClient = new Set<string>()
  let values: VariableValues = {}

  const assign = (changed: VariableValues) => {
    values = { ...values, ...changed }
    secrets.addFrom(values)
  }

  return {
    values: () => values,
    assign,
    assignFromClient(changed: VariableValues) {
      for (const name of Object.keys(changed)) sentByClient.add(name)
      assign(changed)
    },
    isFromClient: (name: string) => sentByClient.has(name),
  }
}

const isRecorded = ({ platform_settings: { privacy } }: AgentDocument): boolean =>
  privacy.record_voice && !privacy.zero_retention_mode

interface DocumentParts {
  readonly agent: AgentDocument
  readonly conversationId: string
  readonly authorization: ConversationMetadata['authorization_method']
  readonly environment: string
  readonly initiation: Initiation
  readonly variables: VariableValues
  readonly startedAt: number
  readonly now: number
  readonly transcript: readonly CallTranscriptEntry[]
  readonly audio: { readonly user: boolean; readonly agent: boolean }
  /** Undefined while it runs. */
  readonly ending?: CallEnding | undefined
}

/** The conversation's current record. */
function toConversationDocument(facts: DocumentParts): ConversationDocument {
  const { agent, initiation, ending, audio, transcript, startedAt } = facts
  const rule = ending && ENDINGS[ending.kind]
  const reason = ending ? (ending.reason ?? rule?.reason ?? '') : ''
  const { user_id = null, source_info } = initiation
  const scores = transcript.flatMap(({ feedback }) => (feedback ? [feedback.score] : []))
  const startSeconds = toUnixSeconds(startedAt)
  return {
    agent_id: agent.agentId,
    agent_name: agent.name,
    conversation_id: facts.conversationId,
    version_id: agent.versionId,
    user_id,
    environment: facts.environment,
    status: rule?.status ?? (transcript.length === 0 ? 'initiated' : 'in-progress'),
    transcript,
    metadata: {
      start_time_unix_secs: startSeconds,
      accepted_time_unix_secs: startSeconds,
      call_duration_secs: Math.round((facts.now - startedAt) / 1_000),
      termination_reason: reason,
      error: rule?.status === 'failed' ? { code: rule.code ?? ABNORMAL_CLOSE, reason } : null,
      main_language: agent.conversation_config.agent.language,
      text_only: agent.conversation_config.conversation.text_only,
      authorization_method: facts.authorization,
      feedback: {
        overall_score: scores.at(-1) ?? null,
        likes: scores.filter((score) => score === 'like').length,
        dislikes: scores.filter((score) => score === 'dislike').length,
      },
    },
    conversation_initiation_client_data: {
      conversation_config_override: initiation.conversation_config_override ?? {},
      custom_llm_extra_body: initiation.custom_llm_extra_body ?? {},
      dynamic_variables: omitSecrets(facts.variables),
      user_id,
      source_info: { source: toKnownSource(source_info?.source), version: source_info?.version ?? null },
    },
    has_audio: audio.user || audio.agent,
    has_user_audio: audio.user,
    has_response_audio: audio.agent,
    has_auxiliary_audio: false,
  }
}

const ABNORMAL_CLOSE = 1006

/** The vendor's clients reject answers with other source names. */
const SOURCES = new Set([
  'js_sdk',
  'react_sdk',
  'react_native_sdk',
  'node_js_sdk',
  'python_sdk',
  'widget',
  'swift_sdk',
  'android_sdk',
  'flutter_sdk',
])

const toKnownSource = (source: string | null | undefined): string =>
  source !== null && source !== undefined && SOURCES.has(source) ? source : 'unknown'

/** Why a conversation ends. */
type EndingKind =
  | 'client-closed'
  | 'client-lost'
  | 'end-call'
  | 'ended-by-monitor'
  | 'silence'
  | 'max-duration'
  | 'refused'
  | 'abuse'
  | 'stuck'
  | 'fault-rule'
  | 'server-stops'
  | 'failure'

export interface CallEnding {
  readonly kind: EndingKind
  /** Replaces the default reason. */
  readonly reason?: string
  readonly errorType?: ErrorType
}

interface EndingRule {
  /** WebSocket close code; undefined if the socket is terminated or already closed. */
  readonly code?: 1000 | 1001 | 1008 | 1011
  readonly reason: string
  readonly status: Extract<ConversationDocument['status'], 'done' | 'failed'>
  /** Also sent to the client as an error event. */
  readonly errorType?: ErrorType
}

export const ENDINGS: Readonly<Record<EndingKind, EndingRule>> = {
  'client-closed': { reason: 'Client disconnected', status: 'done' },
  'client-lost': { reason: 'The client stopped responding', status: 'done' },
  'end-call': { code: 1000, reason: 'end_call tool was called.', status: 'done' },
  'ended-by-monitor': { code: 1000, reason: 'The call was ended by the operator', status: 'done' },
  silence: { code: 1000, reason: 'Timed out: no input from the person', status: 'done' },
  'max-duration': {
    code: 1000,
    reason: 'Conversation exceeded its maximum duration',
    status: 'done',
    errorType: 'max_duration_exceeded',
  },
  refused: { code: 1008, reason: 'The conversation could not start', status: 'failed' },
  abuse: {
    code: 1008,
    reason: 'The client violated the protocol',
    status: 'failed',
    errorType: 'invalid_message',
  },
  stuck: { reason: 'The client stopped reading', status: 'failed' },
  'fault-rule': { reason: 'The connection was cut by a fault rule', status: 'failed' },
  'server-stops': { code: 1001, reason: 'The server is stopping', status: 'done' },
  failure: { code: 1011, reason: 'The server failed', status: 'failed' },
}
