/** ElevenLabs behind the ports of `@parley/reflections`: agents, conversations and webhooks. */
export { type CallKind, type CallLimits, type ElevenLabsSettings, loadSdk } from './vendor-caller.ts'
export { createElevenLabsProvider } from './elevenlabs-provider.ts'
export { type VerifiedWebhook, type WebhookEvent, verifyWebhook } from './verify-webhook.ts'
