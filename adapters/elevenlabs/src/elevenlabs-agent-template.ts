import type { ElevenLabs } from '@elevenlabs/elevenlabs-js'
import { PlatformError, findNearest } from '@parley/contracts'
import type { AgentTemplate } from '@parley/reflections'

/** The full agent as sent. It names every field, so an update also undoes changes made at the provider. */
export interface VendorAgent {
  readonly name: string
  readonly conversationConfig: ElevenLabs.ConversationalConfig
  readonly platformSettings: ElevenLabs.AgentPlatformSettingsRequestModel
}

export type VendorAgentFields = Pick<
  ElevenLabs.GetAgentResponseModel,
  'name' | 'conversationConfig' | 'platformSettings'
>

// The SDK sends an undefined field as null, which clears it at the provider.
const NONE = undefined as never
const WITHOUT_LIMIT = -1

export function buildElevenLabsAgentTemplate(template: AgentTemplate): VendorAgent {
  return {
    name: template.name,
    conversationConfig: {
      agent: {
        firstMessage: template.firstMessage,
        language: template.language,
        // The SDK does not convert this object, so it uses the wire's names.
        dynamicVariables: { dynamic_variable_placeholders: template.placeholders },
        prompt: toVendorPrompt(template),
      },
      tts: {
        modelId: template.language === 'en' ? 'eleven_flash_v2' : 'eleven_flash_v2_5',
        voiceId: template.voiceId,
        agentOutputAudioFormat: template.audio.output as ElevenLabs.TtsOutputFormat,
      },
      asr: {
        userInputAudioFormat: template.audio.input as ElevenLabs.AsrInputFormat,
        keywords: [...template.keywords],
      },
      // Needed to end a running call.
      conversation: { maxDurationSeconds: template.maxDurationSeconds, monitoringEnabled: true },
    },
    platformSettings: {
      auth: { enableAuth: template.authRequired },
      overrides: toVendorOverrides(template.overrides),
      privacy: {
        recordVoice: template.privacy.recordVoice,
        retentionDays: template.privacy.retentionDays ?? WITHOUT_LIMIT,
        zeroRetentionMode: template.privacy.zeroRetention,
      },
      workspaceOverrides: { webhooks: toVendorWebhooks(template) },
    },
  }
}

/** The provider's agent as a template. Missing fields get the provider's defaults. */
export function readElevenLabsAgentTemplate({
  name,
  conversationConfig,
  platformSettings,
}: VendorAgentFields): AgentTemplate {
  const { agent, tts, asr, conversation } = conversationConfig
  const prompt = agent?.prompt
  const maxTokens = prompt?.maxTokens ?? WITHOUT_LIMIT
  const privacy = platformSettings?.privacy
  const retentionDays = privacy?.retentionDays ?? WITHOUT_LIMIT
  const endCall = prompt?.builtInTools?.endCall
  return {
    name,
    prompt: prompt?.prompt ?? '',
    firstMessage: agent?.firstMessage ?? '',
    language: agent?.language ?? 'en',
    model: prompt?.llm ?? '',
    temperature: prompt?.temperature ?? null,
    maxOutputTokens: maxTokens > 0 ? maxTokens : null,
    parallelToolCalls: prompt?.enableParallelToolCalls ?? false,
    toolIds: [...(prompt?.toolIds ?? [])],
    endCall: endCall ? { guidance: endCall.description ?? '' } : null,
    placeholders: readPlaceholders(agent?.dynamicVariables),
    keywords: [...(asr?.keywords ?? [])],
    voiceId: tts?.voiceId ?? '',
    audio: {
      input: asr?.userInputAudioFormat ?? 'pcm_16000',
      output: tts?.agentOutputAudioFormat ?? 'pcm_16000',
    },
    maxDurationSeconds: conversation?.maxDurationSeconds ?? 600,
    authRequired: platformSettings?.auth?.enableAuth ?? false,
    overrides: [...listAllowedOverrides(platformSettings?.overrides)],
    privacy: {
      recordVoice: privacy?.recordVoice ?? true,
      retentionDays: retentionDays < 0 ? null : retentionDays,
      zeroRetention: privacy?.zeroRetentionMode ?? false,
    },
    postCallWebhookId: platformSettings?.workspaceOverrides?.webhooks?.postCallWebhookId ?? null,
  }
}

// Never send `tools`: the provider rejects it together with `toolIds`.
function toVendorPrompt(template: AgentTemplate): ElevenLabs.PromptAgentApiModelOutput {
  return {
    prompt: template.prompt,
    llm: template.model as ElevenLabs.Llm,
    temperature: template.temperature ?? NONE,
    maxTokens: template.maxOutputTokens ?? WITHOUT_LIMIT,
    enableParallelToolCalls: template.parallelToolCalls,
    toolIds: [...template.toolIds],
    builtInTools: { endCall: template.endCall ? toEndCallTool(template.endCall.guidance) : NONE },
  }
}

const toEndCallTool = (guidance: string): ElevenLabs.SystemToolConfigOutput => ({
  type: 'system',
  name: 'end_call',
  description: guidance,
  params: { systemToolType: 'end_call' },
})

const toVendorWebhooks = ({ postCallWebhookId }: AgentTemplate): ElevenLabs.ConvAiWebhooks =>
  postCallWebhookId === null
    ? { postCallWebhookId: NONE }
    : { postCallWebhookId, events: ['transcript'], transcriptFormat: 'json' }

function readPlaceholders(variables: unknown): AgentTemplate['placeholders'] {
  const { dynamic_variable_placeholders: placeholders } = (variables ?? {}) as {
    readonly dynamic_variable_placeholders?: AgentTemplate['placeholders'] | null
  }
  return placeholders ?? {}
}

type Overrides = ElevenLabs.ConversationInitiationClientDataConfigInput

/** Every override that the SDK knows, off. All are sent, because a missing one keeps its old value. */
const ALL_OFF = {
  conversationConfigOverride: {
    asr: { keywords: false },
    turn: { softTimeoutConfig: { message: false, additionalSoftTimeoutMessages: false } },
    tts: {
      modelId: false,
      voiceId: false,
      supportedVoices: false,
      stability: false,
      speed: false,
      similarityBoost: false,
      pronunciationDictionaryLocators: false,
    },
    conversation: { textOnly: false, maxDurationSeconds: false },
    agent: {
      firstMessage: false,
      language: false,
      maxConversationDurationMessage: false,
      prompt: {
        prompt: false,
        llm: false,
        toolIds: false,
        toolIdsStrict: false,
        nativeMcpServerIds: false,
        knowledgeBase: false,
      },
    },
  },
  customLlmExtraBody: false,
  enableConversationInitiationClientDataFromWebhook: false,
  enableStartingWorkflowNodeIdFromClient: false,
  enableProcedureIdsFromClient: false,
} as const satisfies Overrides

const PREFIX = 'conversationConfigOverride.'

/** Paths of overrides, as in `agent.firstMessage`. */
export const OVERRIDES: readonly string[] = listLeafPaths('', ALL_OFF, false)

/** Enables these paths and disables all others. */
function toVendorOverrides(paths: readonly string[]): Overrides {
  const unknown = paths.find((path) => !OVERRIDES.includes(path))
  if (unknown !== undefined) throw createUnknownOverrideError(unknown)
  return enablePaths('', ALL_OFF, paths)
}

/** The paths of all enabled overrides. */
const listAllowedOverrides = (overrides: object | undefined): readonly string[] =>
  listLeafPaths('', overrides ?? {}, true)

function listLeafPaths(path: string, value: unknown, state: boolean): readonly string[] {
  if (value === state) return [shortenPath(path)]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => listLeafPaths(joinPath(path, key), inner, state))
}

function enablePaths(path: string, value: object, paths: readonly string[]): object {
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]: [string, unknown]) => {
      const at = joinPath(path, key)
      const isGroup = typeof inner === 'object' && inner !== null
      return [key, isGroup ? enablePaths(at, inner, paths) : paths.includes(shortenPath(at))]
    }),
  )
}

function joinPath(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`
}

function shortenPath(path: string): string {
  return path.startsWith(PREFIX) ? path.slice(PREFIX.length) : path
}

function createUnknownOverrideError(path: string): PlatformError {
  const meant = findNearest(path, OVERRIDES)
  const hint = meant === undefined ? '' : ` Did you mean ${meant}?`
  return new PlatformError('validation', { message: `There is no override "${path}".${hint}`, path })
}
