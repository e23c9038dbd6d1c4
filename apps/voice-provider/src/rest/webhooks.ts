import { randomBytes } from 'node:crypto'
import { Hono } from 'hono'
import { z } from 'zod'
import type { StoredDocument } from '@parley/postgres'
import { allDocuments, newId } from '../documents.ts'
import { readBody } from './read-request.ts'
import { Refusal } from './refusal.ts'
import { type RestEnv, type RestServices, seconds } from './rest-env.ts'

/** Who is told of calls that have ended. The secret that signs what they are told is shown once. */
export const webhookRoutes = ({ store: { documents } }: RestServices) =>
  new Hono<RestEnv>()
    .post('/', async (c) => {
      const { settings } = await readBody(c, NewWebhook)
      const secret = `wsec_${randomBytes(32).toString('hex')}`
      const { id } = await documents.put('webhook', {
        id: newId('webhook'),
        body: {
          name: settings.name,
          webhook_url: settings.webhook_url,
          auth_type: settings.auth_type,
          request_headers: settings.request_headers ?? {},
          is_disabled: false,
          is_auto_disabled: false,
          retry_enabled: false,
        },
        secret,
      })
      return c.json({ webhook_id: id, webhook_secret: secret })
    })
    .get('/', async (c) => {
      const webhooks = []
      for await (const webhook of allDocuments(documents, 'webhook')) webhooks.push(answerOf(webhook))
      return c.json({ webhooks })
    })
    .patch('/:webhookId', async (c) => {
      const id = c.req.param('webhookId')
      const { is_disabled, name, retry_enabled, request_headers, events } = await readBody(c, WebhookChange)
      const changed = await documents.change('webhook', id, (body) => ({
        ...body,
        is_disabled,
        name,
        // Who switches it on again gives it another chance.
        ...(!is_disabled && { is_auto_disabled: false, consecutive_failures: 0 }),
        ...(retry_enabled != null && { retry_enabled }),
        ...(request_headers && { request_headers }),
        ...(events && { events }),
      }))
      if (!changed) throw webhookNotFound(id)
      return c.json({ status: 'ok' })
    })
    .delete('/:webhookId', async (c) => {
      const id = c.req.param('webhookId')
      if (!(await documents.remove('webhook', id))) throw webhookNotFound(id)
      return c.json({ status: 'ok' })
    })

const Headers = z.record(z.string(), z.string())

const NewWebhook = z.object({
  settings: z.object({
    auth_type: z.literal('hmac'),
    name: z.string().min(1),
    webhook_url: z.url({ protocol: /^https?$/ }),
    request_headers: Headers.nullish(),
  }),
})

const WebhookChange = z.object({
  is_disabled: z.boolean(),
  name: z.string().min(1),
  retry_enabled: z.boolean().nullish(),
  request_headers: Headers.nullish(),
  events: z.array(z.string()).nullish(),
})

const answerOf = ({ id, body, createdAt }: StoredDocument) => ({
  name: body['name'],
  webhook_id: id,
  webhook_url: body['webhook_url'],
  is_disabled: body['is_disabled'],
  is_auto_disabled: body['is_auto_disabled'],
  created_at_unix: seconds(createdAt),
  auth_type: body['auth_type'],
  events: body['events'] ?? null,
  most_recent_failure_error_code: body['most_recent_failure_error_code'] ?? null,
  most_recent_failure_timestamp: body['most_recent_failure_timestamp'] ?? null,
})

const webhookNotFound = (id: string) =>
  new Refusal('webhook_not_found', `There is no webhook with the id ${id}.`, 'webhook_id')
