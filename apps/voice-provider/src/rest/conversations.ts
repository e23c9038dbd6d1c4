import { Hono } from 'hono'
import { z } from 'zod'
import type { Json } from '@parley/contracts'
import type { JsonBody, StoredConversation } from '@parley/postgres'
import { createId } from '../documents.ts'
import { isJsonObject } from '../json.ts'
import { VendorPageQuery, pagingFields, readBody, readQuery } from './read-request.ts'
import { RequestRefusal, createNotFoundRefusal } from './refusal.ts'
import type { RestEnv, RestServices } from './rest-env.ts'

export const conversationRoutes = ({ store, agents }: RestServices) => {
  const { conversations, documents } = store
  const files = createConversationFiles({ documents, agents })

  const getConversation = async (id: string) => {
    const found = await conversations.get(id)
    if (!found) throw createNotFoundRefusal('conversation', id)
    return found
  }

  return new Hono<RestEnv>()
    .get('/', async (c) => {
      const query = readQuery(c, ListQuery)
      const page = await conversations.list({
        limit: query.page_size,
        ...(query.cursor !== undefined && { cursor: query.cursor }),
        ...(query.agent_id !== undefined && { agentId: query.agent_id }),
        ...(query.user_id !== undefined && { userId: query.user_id }),
        ...(query.call_successful && { callSuccessful: query.call_successful }),
        ...(query.call_start_after_unix !== undefined && {
          startedAfter: new Date(query.call_start_after_unix * 1000),
        }),
        ...(query.call_start_before_unix !== undefined && {
          startedBefore: new Date(query.call_start_before_unix * 1000),
        }),
      })
      const summaries = page.items.map((item) => toConversationSummary(item, query.summary_mode))
      return c.json({ conversations: summaries, ...pagingFields(page) })
    })
    .get('/:id', async (c) => {
      readQuery(c, z.object({ format: z.literal('json').default('json') }))
      return c.json(toConversationResponse(await getConversation(c.req.param('id'))))
    })
    .delete('/:id', async (c) => {
      const id = c.req.param('id')
      if (!(await conversations.remove(id))) throw createNotFoundRefusal('conversation', id)
      return c.json({})
    })
    .get('/:id/audio', async (c) => {
      const { id } = await getConversation(c.req.param('id'))
      const audio = await conversations.readAudio(id)
      if (!audio) throw new RequestRefusal('audio_not_found', `The conversation ${id} has no audio.`)
      return c.body(new Uint8Array(audio), 200, { 'content-type': detectAudioType(audio) })
    })
    .post('/:id/feedback', async (c) => {
      const id = c.req.param('id')
      const feedback = await readBody(c, Feedback)
      if (!(await conversations.rate(id, feedback as JsonBody)))
        throw createNotFoundRefusal('conversation', id)
      return c.json({})
    })
    .post('/:id/files', async (c) => {
      const conversation = await getConversation(c.req.param('id'))
      await files.checkOpen(conversation)
      const { file } = await c.req.parseBody()
      if (!(file instanceof File))
        throw new RequestRefusal('file_not_found', 'The form has no file in the field "file".')
      return c.json({ file_id: await files.add(conversation.id, file) })
    })
    .delete('/:id/files/:fileId', async (c) => {
      const { id, fileId } = c.req.param()
      const file = await documents.get('file', fileId)
      if (file?.parentId !== id)
        throw new RequestRefusal('file_not_found', `The conversation ${id} has no file ${fileId}.`)
      await documents.remove('file', fileId)
      return c.json({ file_id: fileId })
    })
}

const UnixSeconds = z.coerce.number().int().min(0).max(99_999_999_999)

const ListQuery = VendorPageQuery.extend({
  agent_id: z.string().optional(),
  user_id: z.string().optional(),
  call_successful: z.enum(['success', 'failure', 'unknown']).optional(),
  call_start_after_unix: UnixSeconds.optional(),
  call_start_before_unix: UnixSeconds.optional(),
  summary_mode: z.enum(['exclude', 'include']).default('exclude'),
})

const Feedback = z.looseObject({
  feedback: z.enum(['like', 'dislike']).nullish(),
  rating: z.int().min(1).max(5).nullish(),
  comment: z.string().max(10_000).nullish(),
})

/** Recordings made here are WAV; detect the type from the first bytes. */
const detectAudioType = (audio: Uint8Array): string =>
  Buffer.from(audio.subarray(0, 4)).toString('latin1') === 'RIFF' ? 'audio/wav' : 'audio/mpeg'

function toConversationResponse({ body, status, feedback }: StoredConversation) {
  const metadata = getObject(body, 'metadata')
  const rated = feedback && {
    feedback: {
      ...getObject(metadata, 'feedback'),
      type: feedback['rating'] == null ? 'thumbs' : 'rating',
      overall_score: feedback['feedback'] ?? null,
      rating: feedback['rating'] ?? null,
      comment: feedback['comment'] ?? null,
    },
  }
  return { ...body, status, metadata: { cost_fiat: null, ...metadata, ...rated } }
}

function toConversationSummary(
  { id, agentId, status, body, feedback }: StoredConversation,
  mode: 'exclude' | 'include',
) {
  const metadata = getObject(body, 'metadata')
  const analysis = getObject(body, 'analysis')
  const transcript = Array.isArray(body['transcript']) ? body['transcript'] : []
  return {
    agent_id: agentId,
    agent_name: body['agent_name'] ?? null,
    version_id: body['version_id'] ?? null,
    conversation_id: id,
    start_time_unix_secs: metadata['start_time_unix_secs'],
    call_duration_secs: metadata['call_duration_secs'],
    message_count: transcript.length,
    status,
    termination_reason: metadata['termination_reason'] ?? '',
    call_successful: analysis['call_successful'] ?? 'unknown',
    main_language: metadata['main_language'] ?? null,
    rating: feedback?.['rating'] ?? null,
    ...(mode === 'include' && { transcript_summary: analysis['transcript_summary'] ?? null }),
  }
}

const getObject = (body: JsonBody, name: string): Readonly<Record<string, Json>> => {
  const value = body[name]
  return isJsonObject(value) ? value : {}
}

/** Limits per conversation, because clients upload without a key. */
const MAX_FILES = 10
const MAX_BYTES = 20 * 1024 * 1024

interface FilesHost {
  readonly documents: RestServices['store']['documents']
  readonly agents: RestServices['agents']
}

/** Files uploaded to a conversation. */
function createConversationFiles({ documents, agents }: FilesHost) {
  const adding = new Map<string, Promise<unknown>>()

  const storeFile = async (conversationId: string, file: File): Promise<string> => {
    const { items } = await documents.list('file', { parentId: conversationId, limit: MAX_FILES })
    if (items.length >= MAX_FILES)
      throw new RequestRefusal('too_many_files', `A conversation has at most ${MAX_FILES} files.`)
    const storedBytes = items.reduce((sum, { body }) => sum + countContentBytes(body['content']), 0)
    if (storedBytes + file.size > MAX_BYTES)
      throw new RequestRefusal(
        'too_many_files',
        `The files of a conversation have at most ${MAX_BYTES} bytes together.`,
      )
    const content = Buffer.from(await file.arrayBuffer()).toString('base64')
    const body = { name: toStorable(file.name), mime_type: toStorable(file.type), content }
    return (await documents.put('file', { id: createId('file'), parentId: conversationId, body })).id
  }

  return {
    /** Throws if the conversation has ended or the agent accepts no files. */
    async checkOpen({ id, agentId, status }: StoredConversation): Promise<void> {
      if (status !== 'initiated' && status !== 'in-progress')
        throw new RequestRefusal(
          'conversation_not_running',
          `The conversation ${id} has ended and accepts no files.`,
        )
      const agent = await agents.find(agentId)
      if (!agent?.conversation_config.conversation.file_input?.enabled)
        throw new RequestRefusal(
          'file_input_disabled',
          'This agent accepts no files. Set conversation_config.conversation.file_input.enabled.',
        )
    },

    /** Adds files one at a time, to enforce the limits. */
    async add(conversationId: string, file: File): Promise<string> {
      const before = adding.get(conversationId)
      const added = Promise.resolve(before).then(
        () => storeFile(conversationId, file),
        () => storeFile(conversationId, file),
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

const toStorable = (text: string): string => text.replaceAll('\0', '').toWellFormed()

const countContentBytes = (content: unknown): number =>
  typeof content === 'string' ? Buffer.byteLength(content, 'base64') : 0
