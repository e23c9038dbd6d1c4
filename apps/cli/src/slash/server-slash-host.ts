import type { ApiClient } from '@parley/api-client'
import type { Conversation } from '../talk/conversation.ts'
import { begun } from './begun.ts'
import type { SlashHost } from './slash-host.ts'

/** What can be done with a session of the Parley that runs, while one talks in it. */
export const createServerSlashHost = (
  conversation: Conversation,
  { sessions }: ApiClient,
  leaving?: string,
): SlashHost => ({
  leaving,
  rename: async (title) => void (await sessions.rename({ sessionId: begun(conversation), title })),
  async cancel() {
    const { sessionId } = conversation
    return sessionId !== undefined && (await sessions.cancel(sessionId)).cancelled
  },
  cost: async () => (conversation.sessionId ? (await sessions.get(conversation.sessionId)).costs : {}),
  async export(path) {
    const sessionId = begun(conversation)
    const { exportHere } = await import('./export-here.ts')
    return exportHere({ exported: (id) => sessions.export(id) }, sessionId, {
      workingDir: process.cwd(),
      path,
    })
  },
})
