import { randomBytes } from 'node:crypto'
import { Hono } from 'hono'
import { z } from 'zod'
import type { JsonBody, StoredDocument } from '@parley/postgres'
import { InitiationWebhook, Webhooks } from '../agents/platform-settings.ts'
import { iterateDocuments, findDependants, createId, toUnixSeconds } from '../documents.ts'
import { VendorPageQuery, pagingFields, toPage, readBody, readQuery } from './read-request.ts'
import { RequestRefusal, createNotFoundRefusal } from './refusal.ts'
import type { RestEnv, RestServices } from './rest-env.ts'

/** Settings of all agents in the workspace. */
export const settingRoutes = ({ store: { documents } }: RestServices) => {
  const readSettings = async () =>
    WorkspaceSettings.parse((await documents.get('settings', 'workspace'))?.body ?? {})
  return new Hono<RestEnv>()
    .get('/', async (c) => c.json(await readSettings()))
    .patch('/', async (c) => {
      const settings = { ...(await readSettings()), ...(await readBody(c, SettingsChange)) }
      await documents.put('settings', { id: 'workspace', body: settings as unknown as JsonBody })
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

/** Secrets. Their values are never returned. */
export const secretRoutes = ({ store: { documents } }: RestServices) => {
  const findUsers = async (id: string) => ({
    tools: await findDependants(documents, 'tool', id),
    agents: await findDependants(documents, 'agent', id),
    others: [],
    phone_numbers: [],
  })
  const withUsers = async (secret: StoredDocument) => ({
    ...toSecretResponse(secret),
    used_by: await findUsers(secret.id),
  })
  const getSecret = async (id: string) => {
    const secret = await documents.get('secret', id)
    if (!secret) throw createNotFoundRefusal('secret', id)
    return secret
  }

  return new Hono<RestEnv>()
    .post('/', async (c) => {
      const { name, value } = await readBody(c, NewSecret)
      const stored = await documents.put('secret', { id: createId('secret'), body: { name }, secret: value })
      return c.json(toSecretResponse(stored))
    })
    .get('/', async (c) => {
      const page = await documents.list('secret', toPage(readQuery(c, VendorPageQuery)))
      return c.json({ secrets: await Promise.all(page.items.map(withUsers)), ...pagingFields(page) })
    })
    .get('/:secretId', async (c) => c.json(await withUsers(await getSecret(c.req.param('secretId')))))
    .patch('/:secretId', async (c) => {
      const { id } = await getSecret(c.req.param('secretId'))
      const { name, value } = await readBody(c, SecretChange)
      return c.json(toSecretResponse(await documents.put('secret', { id, body: { name }, secret: value })))
    })
    .delete('/:secretId', async (c) => {
      const id = c.req.param('secretId')
      const { tools, agents } = await findUsers(id)
      const users = [...tools, ...agents].map(({ name }) => name)
      if (users.length > 0) {
        throw new RequestRefusal(
          'resource_in_use',
          `The secret ${id} is used by ${users.join(', ')}. Remove it there first.`,
        )
      }
      if (!(await documents.remove('secret', id))) throw createNotFoundRefusal('secret', id)
      return c.body(null, 204)
    })
}

const NewSecret = z.object({ type: z.literal('new'), name: z.string().min(1), value: z.string() })
const SecretChange = z.object({ type: z.literal('update'), name: z.string().min(1), value: z.string() })

const toSecretResponse = ({ id, body }: StoredDocument) => ({
  type: 'stored',
  secret_id: id,
  name: body['name'],
})

/** Variables with a value per environment. */
export const environmentVariableRoutes = ({ store: { documents } }: RestServices) =>
  new Hono<RestEnv>()
    .post('/', async (c) => {
      const variable = await readBody(c, NewVariable)
      const same = await documents.list(VARIABLE, { limit: 1, contains: { label: variable.label } })
      if (same.items.length > 0) {
        throw new RequestRefusal(
          'label_already_exists',
          `The environment variable ${variable.label} already exists.`,
        )
      }
      const body = variable as unknown as JsonBody
      return c.json(toVariableResponse(await documents.put(VARIABLE, { id: createId('envvar'), body })))
    })
    .get('/', async (c) => {
      const { label, type, ...query } = readQuery(c, VariableListQuery)
      const contains = { ...(label !== undefined && { label }), ...(type && { type }) }
      const page = await documents.list(VARIABLE, { ...toPage(query), contains })
      return c.json({ environment_variables: page.items.map(toVariableResponse), ...pagingFields(page) })
    })
    .get('/:id', async (c) => {
      const found = await documents.get(VARIABLE, c.req.param('id'))
      if (!found) throw createNotFoundRefusal('environment_variable', c.req.param('id'))
      return c.json(toVariableResponse(found))
    })
    .patch('/:id', async (c) => {
      const { values } = await readBody(c, VariableChange)
      const changed = await documents.change(VARIABLE, c.req.param('id'), (body) => {
        const all = { ...(body['values'] as JsonBody), ...values }
        // Null removes an environment's value.
        return {
          ...body,
          values: Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null)) as JsonBody,
        }
      })
      if (!changed) throw createNotFoundRefusal('environment_variable', c.req.param('id'))
      return c.json(toVariableResponse(changed))
    })

const VARIABLE = 'environment_variable'

const SecretLocator = z.object({ secret_id: z.string() })

const NewVariable = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('string'),
    label: z.string().min(1),
    values: z.record(z.string(), z.string().min(1)),
  }),
  z.object({
    type: z.literal('secret'),
    label: z.string().min(1),
    values: z.record(z.string(), SecretLocator),
  }),
])

const VariableChange = z.object({
  values: z.record(z.string(), z.union([z.string().min(1), SecretLocator, z.null()])),
})

const VariableListQuery = VendorPageQuery.extend({
  label: z.string().optional(),
  type: z.enum(['string', 'secret', 'auth_connection']).optional(),
})

const toVariableResponse = ({ id, body, createdAt, updatedAt }: StoredDocument) => ({
  id,
  workspace_id: 'local',
  label: body['label'],
  type: body['type'],
  values: body['values'],
  created_at_unix_secs: toUnixSeconds(createdAt),
  updated_at_unix_secs: toUnixSeconds(updatedAt),
})

/** Webhooks for ended calls. The signing secret is returned only once. */
export const webhookRoutes = ({ store: { documents } }: RestServices) =>
  new Hono<RestEnv>()
    .post('/', async (c) => {
      const { settings } = await readBody(c, NewWebhook)
      const secret = `wsec_${randomBytes(32).toString('hex')}`
      const { id } = await documents.put('webhook', {
        id: createId('webhook'),
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
      for await (const webhook of iterateDocuments(documents, 'webhook'))
        webhooks.push(toWebhookResponse(webhook))
      return c.json({ webhooks })
    })
    .patch('/:webhookId', async (c) => {
      const id = c.req.param('webhookId')
      const { is_disabled, name, retry_enabled, request_headers, events } = await readBody(c, WebhookChange)
      const changed = await documents.change('webhook', id, (body) => ({
        ...body,
        is_disabled,
        name,
        // Enabling a webhook resets its failures.
        ...(!is_disabled && { is_auto_disabled: false, consecutive_failures: 0 }),
        ...(retry_enabled != null && { retry_enabled }),
        ...(request_headers && { request_headers }),
        ...(events && { events }),
      }))
      if (!changed) throw createNotFoundRefusal('webhook', id)
      return c.json({ status: 'ok' })
    })
    .delete('/:webhookId', async (c) => {
      const id = c.req.param('webhookId')
      if (!(await documents.remove('webhook', id))) throw createNotFoundRefusal('webhook', id)
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

const toWebhookResponse = ({ id, body, createdAt }: StoredDocument) => ({
  name: body['name'],
  webhook_id: id,
  webhook_url: body['webhook_url'],
  is_disabled: body['is_disabled'],
  is_auto_disabled: body['is_auto_disabled'],
  created_at_unix: toUnixSeconds(createdAt),
  auth_type: body['auth_type'],
  events: body['events'] ?? null,
  most_recent_failure_error_code: body['most_recent_failure_error_code'] ?? null,
  most_recent_failure_timestamp: body['most_recent_failure_timestamp'] ?? null,
})
