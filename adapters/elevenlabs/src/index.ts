/** ElevenLabs behind our ports: its agents, conversations and webhooks. */
export { loadSdk } from './call/caller.ts'
export { elevenLabsProvider } from './elevenlabs-provider.ts'
export type { CallKind, CallLimits, ElevenLabsSettings } from './settings.ts'
export { type VerifiedWebhook, type WebhookEvent, verifyWebhook } from './webhook/verify-webhook.ts'
