import type { Body } from '@parley/postgres'
import { Hono } from 'hono'
import { z } from 'zod'
import { InitiationWebhook, Webhooks } from '../agents/platform-settings.ts'
import { readBody } from './read-request.ts'
import type { RestEnv, RestServices } from './rest-env.ts'

/** What holds for all agents of the workspace. */
export const settingRoutes = ({ store: { documents } }: RestServices) => {
  const current = async () =>
    WorkspaceSettings.parse((await documents.get('settings', 'workspace'))?.body ?? {})
  return new Hono<RestEnv>()
    .get('/', async (c) => c.json(await current()))
    .patch('/', async (c) => {
      const settings = { ...(await current()), ...(await readBody(c, SettingsChange)) }
      await documents.put('settings', { id: 'workspace', body: settings as unknown as Body })
      return c.json(settings)
    })
}

const WorkspaceSettings = z.looseObject({
  conversation_initiation_client_data_webhook: InitiationWebhook.nullable().default(null),
  webhooks: Webhooks.prefault({}),
  can_use_mcp_servers: z.boolean().default(false),
  rag_retention_period_days: z.int().min(1).max(30).default(10),
  default_livekit_stack: z.enum(['standard', 'static']).default('standard'),
})

const SettingsChange = z.looseObject({
  conversation_initiation_client_data_webhook: InitiationWebhook.nullable().optional(),
  webhooks: Webhooks.optional(),
  can_use_mcp_servers: z.boolean().optional(),
  rag_retention_period_days: z.int().min(1).max(30).optional(),
  default_livekit_stack: z.enum(['standard', 'static']).optional(),
})
