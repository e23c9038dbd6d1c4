import type { ConversationHost } from '../conversation/conversation-host.ts'

/** What a test needs of the provider around it. */
export type TrialHost = Pick<
  ConversationHost,
  'findTools' | 'secretValue' | 'environmentValue' | 'modelFor' | 'now' | 'onError'
>
