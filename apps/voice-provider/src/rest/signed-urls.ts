import { randomBytes } from 'node:crypto'
import { Hono } from 'hono'
import { z } from 'zod'
import { newId } from '../new-id.ts'
import { agentOf } from './agents.ts'
import { readQuery } from './read-request.ts'
import { Refusal } from './refusal.ts'
import type { RestEnv, RestServices } from './rest-env.ts'

/** How long a signed URL may wait to be used. */
const GOOD_FOR_MS = 15 * 60 * 1000

export const signedUrlRoutes = ({ agents, store, now, onAwaited }: RestServices) =>
  new Hono<RestEnv>()
    .get('/get-signed-url', async (c) => {
      const query = readQuery(c, SignedUrlQuery)
      const { agentId } = await agentOf(agents, query.agent_id)
      const conversationId = query.include_conversation_id ? newId('conv') : undefined
      const signature = `cvtkn_${randomBytes(32).toString('base64url')}`
      const { version_id, branch_id, environment } = query
      await store.signedUrls.create(
        signature,
        {
          agentId,
          ...(conversationId !== undefined && { conversationId }),
          body: JSON.parse(JSON.stringify({ version_id, branch_id, environment })),
        },
        new Date(now() + GOOD_FOR_MS),
      )
      onAwaited()
      const url = new URL('/v1/convai/conversation', c.req.url.replace(/^http/, 'ws'))
      url.searchParams.set('agent_id', agentId)
      url.searchParams.set('conversation_signature', signature)
      if (environment !== undefined) url.searchParams.set('environment', environment)
      return c.json({
        signed_url: url.href,
        ...(conversationId !== undefined && { conversation_id: conversationId }),
      })
    })
    .get('/token', async (c) => {
      await agentOf(agents, readQuery(c, z.object({ agent_id: z.string() })).agent_id)
      throw new Refusal(
        'webrtc_needs_livekit',
        'WebRTC needs a LiveKit server, whose URL this local provider does not have. Use a signed URL (GET /v1/convai/conversation/get-signed-url), or connectionType "websocket".',
      )
    })

const SignedUrlQuery = z.object({
  agent_id: z.string(),
  include_conversation_id: z
    .enum(['true', 'false'])
    .default('false')
    .transform((flag) => flag === 'true'),
  branch_id: z.string().optional(),
  version_id: z.string().optional(),
  environment: z.string().optional(),
})
