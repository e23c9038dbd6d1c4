import type { StoredConversation } from '@parley/postgres'
import { newId } from '../new-id.ts'
import { Refusal } from './refusal.ts'
import type { RestServices } from './rest-env.ts'

/** Of one conversation, whose client needs no key to send them. */
const MOST_FILES = 10
const MOST_BYTES = 20 * 1024 * 1024

interface FilesHost {
  readonly documents: RestServices['store']['documents']
  readonly agents: RestServices['agents']
}

/** The files that people send into a conversation. */
export function conversationFiles({ documents, agents }: FilesHost) {
  const adding = new Map<string, Promise<unknown>>()

  const put = async (conversationId: string, file: File): Promise<string> => {
    const { items } = await documents.list('file', { parentId: conversationId, limit: MOST_FILES })
    if (items.length >= MOST_FILES)
      throw new Refusal('too_many_files', `A conversation has at most ${MOST_FILES} files.`)
    const kept = items.reduce((sum, { body }) => sum + sizeOf(body['content']), 0)
    if (kept + file.size > MOST_BYTES)
      throw new Refusal(
        'too_many_files',
        `The files of a conversation have at most ${MOST_BYTES} bytes together.`,
      )
    const content = Buffer.from(await file.arrayBuffer()).toString('base64')
    const body = { name: storable(file.name), mime_type: storable(file.type), content }
    return (await documents.put('file', { id: newId('file'), parentId: conversationId, body })).id
  }

  return {
    /** Only while people talk, and where the agent takes files. */
    async checkOpen({ id, agentId, status }: StoredConversation): Promise<void> {
      if (status !== 'initiated' && status !== 'in-progress')
        throw new Refusal('conversation_not_running', `The conversation ${id} has ended: it takes no files.`)
      const agent = await agents.find(agentId)
      if (!agent?.conversation_config.conversation.file_input?.enabled)
        throw new Refusal(
          'file_input_disabled',
          'This agent takes no files: set conversation_config.conversation.file_input.enabled.',
        )
    },

    /** One after the other, so that no two find the same room. */
    async add(conversationId: string, file: File): Promise<string> {
      const before = adding.get(conversationId)
      const added = Promise.resolve(before).then(
        () => put(conversationId, file),
        () => put(conversationId, file),
      )
      adding.set(conversationId, added)
      try {
        return await added
      } finally {
        if (adding.get(conversationId) === added) adding.delete(conversationId)
      }
    },
  }
}

const storable = (text: string): string => text.replaceAll('\0', '').toWellFormed()

const sizeOf = (content: unknown): number =>
  typeof content === 'string' ? Buffer.byteLength(content, 'base64') : 0
