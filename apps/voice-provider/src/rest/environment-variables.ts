import { Hono } from 'hono'
import { z } from 'zod'
import type { Body, StoredDocument } from '@parley/postgres'
import { newId } from '../documents.ts'
import { PageQuery, moreOf, pageFrom, readBody, readQuery } from './read-request.ts'
import { Refusal } from './refusal.ts'
import { type RestEnv, type RestServices, seconds } from './rest-env.ts'

/** Values that differ from one environment to the other, by their label. */
export const environmentVariableRoutes = ({ store: { documents } }: RestServices) =>
  new Hono<RestEnv>()
    .post('/', async (c) => {
      const variable = await readBody(c, NewVariable)
      const same = await documents.list(KIND, { limit: 1, contains: { label: variable.label } })
      if (same.items.length > 0) {
        throw new Refusal(
          'label_already_exists',
          `There is an environment variable ${variable.label} already.`,
        )
      }
      const body = variable as unknown as Body
      return c.json(answerOf(await documents.put(KIND, { id: newId('envvar'), body })))
    })
    .get('/', async (c) => {
      const { label, type, ...query } = readQuery(c, ListQuery)
      const contains = { ...(label !== undefined && { label }), ...(type && { type }) }
      const page = await documents.list(KIND, { ...pageFrom(query), contains })
      return c.json({ environment_variables: page.items.map(answerOf), ...moreOf(page) })
    })
    .get('/:id', async (c) => {
      const found = await documents.get(KIND, c.req.param('id'))
      if (!found) throw variableNotFound(c.req.param('id'))
      return c.json(answerOf(found))
    })
    .patch('/:id', async (c) => {
      const { values } = await readBody(c, VariableChange)
      const changed = await documents.change(KIND, c.req.param('id'), (body) => {
        const all = { ...(body['values'] as Body), ...values }
        // Null takes an environment's value away.
        return {
          ...body,
          values: Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null)) as Body,
        }
      })
      if (!changed) throw variableNotFound(c.req.param('id'))
      return c.json(answerOf(changed))
    })

const KIND = 'environment_variable'

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

const ListQuery = PageQuery.extend({
  label: z.string().optional(),
  type: z.enum(['string', 'secret', 'auth_connection']).optional(),
})

const answerOf = ({ id, body, createdAt, updatedAt }: StoredDocument) => ({
  id,
  workspace_id: 'local',
  label: body['label'],
  type: body['type'],
  values: body['values'],
  created_at_unix_secs: seconds(createdAt),
  updated_at_unix_secs: seconds(updatedAt),
})

const variableNotFound = (id: string) =>
  new Refusal('environment_variable_not_found', `There is no environment variable with the id ${id}.`)
