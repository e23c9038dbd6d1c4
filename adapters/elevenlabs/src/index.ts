/** ElevenLabs behind our ports: its agents, conversations and webhooks. */
export { loadSdk } from './call/load-sdk.ts'
export { elevenLabsProvider } from './elevenlabs-provider.ts'
export type { CallKind, CallLimits, ElevenLabsSettings } from './settings.ts'
export { verifyWebhook, type VerifiedWebhook } from './webhook/verify-webhook.ts'
export type { WebhookEvent } from './webhook/webhook-event.ts'
