/** What is spoken: the ports of speech, and the pure rules of a spoken conversation. */
export { createVoiceActivity, type VoiceActivity, type VoiceEvent } from './listening/voice-activity.ts'
export type { Recogniser, Sound, Speech, SpokenStyle, Synthesiser } from './ports/speech.ts'
export { createResampler, joinSamples, resample, type Resampler } from './sound/resample.ts'
export {
  decodeSound,
  encodeSound,
  isSoundFormat,
  SOUND_FORMATS,
  type SoundFormat,
} from './sound/sound-format.ts'
export { decodeWav, encodeWav } from './sound/wav.ts'
export { createSentenceSplitter, type Sentence, type SentenceSplitter } from './speaking/sentence-splitter.ts'
export type { AgentTest, TestResult } from './ports/agent-test.ts'
export type {
  ConversationStatus,
  ConversationSummary,
  ProviderConversation,
  TranscriptEntry,
  TranscriptToolCall,
} from './ports/provider-conversation.ts'
export type { HeaderValue, ParameterSource, ServerTool, ToolParameter } from './ports/server-tool.ts'
export type {
  AgentNotUsable,
  AgentSummary,
  ConversationPage,
  ConversationQuery,
  ConversationToken,
  EnsuredWebhook,
  HeldAgent,
  SignedUrl,
  TestRun,
  VoiceProvider,
  WantedWebhook,
} from './ports/voice-provider.ts'
export type { WebhookClaims } from './ports/webhook-claims.ts'
export { AgentTemplate, type AgentTemplateInput } from './template/agent-template.ts'
export { type Difference, differencesOf } from './template/differences-of.ts'
