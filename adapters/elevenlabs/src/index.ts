/** ElevenLabs behind the ports of `@parley/reflections`: agents, conversations and webhooks. */
export { type CallKind, type CallLimits, type ElevenLabsSettings, loadSdk } from './call/caller.ts'
export { elevenLabsProvider } from './elevenlabs-provider.ts'
export { type VerifiedWebhook, type WebhookEvent, verifyWebhook } from './webhook/verify-webhook.ts'
