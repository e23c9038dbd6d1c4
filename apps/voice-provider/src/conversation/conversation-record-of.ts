import type { AgentDocument } from '../agents/agent-document.ts'
import { type Variables, withoutSecrets } from '../tools-of-agent/variables.ts'
import type { Initiation } from './client-frame.ts'
import type { ConversationMetadata, ConversationRecord, TranscriptEntry } from './conversation-record.ts'
import { ENDINGS, type Ending } from './ending.ts'

export interface RecordFacts {
  readonly agent: AgentDocument
  readonly conversationId: string
  readonly authorization: ConversationMetadata['authorization_method']
  readonly environment: string
  readonly initiation: Initiation
  readonly variables: Variables
  readonly startedAt: number
  readonly now: number
  readonly transcript: readonly TranscriptEntry[]
  readonly audio: { readonly user: boolean; readonly agent: boolean }
  /** Undefined while it goes on. */
  readonly ending?: Ending | undefined
}

/** The conversation as it is now. */
export function conversationRecordOf(facts: RecordFacts): ConversationRecord {
  const { agent, initiation, ending, audio, transcript, startedAt } = facts
  const rule = ending && ENDINGS[ending.kind]
  const reason = ending ? (ending.reason ?? rule?.reason ?? '') : ''
  const { user_id = null, source_info } = initiation
  const scores = transcript.flatMap(({ feedback }) => (feedback ? [feedback.score] : []))
  const startSeconds = Math.floor(startedAt / 1_000)
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
      error: rule?.status === 'failed' ? { code: rule.code ?? ABNORMAL, reason } : null,
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
      dynamic_variables: withoutSecrets(facts.variables),
      user_id,
      source_info: { source: sourceOf(source_info?.source), version: source_info?.version ?? null },
    },
    has_audio: audio.user || audio.agent,
    has_user_audio: audio.user,
    has_response_audio: audio.agent,
    has_auxiliary_audio: false,
  }
}

const ABNORMAL = 1006

/** The vendor's clients refuse an answer that names a client they do not know. */
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

const sourceOf = (source: string | null | undefined): string =>
  source !== null && source !== undefined && SOURCES.has(source) ? source : 'unknown'
