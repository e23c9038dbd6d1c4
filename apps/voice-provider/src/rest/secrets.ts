import type { StoredDocument } from '@parley/postgres'
import { Hono } from 'hono'
import { z } from 'zod'
import { newId } from '../new-id.ts'
import { dependantsOf } from './dependants.ts'
import { moreOf, pageFrom, PageQuery } from './pages.ts'
import { readBody, readQuery } from './read-request.ts'
import { Refusal } from './refusal.ts'
import type { RestEnv, RestServices } from './rest-env.ts'

/** Values go in and are never shown again. */
export const secretRoutes = ({ store: { documents } }: RestServices) => {
  const usedBy = async (id: string) => ({
    tools: await dependantsOf(documents, 'tool', id),
    agents: await dependantsOf(documents, 'agent', id),
    others: [],
    phone_numbers: [],
  })
  const withUsers = async (secret: StoredDocument) => ({
    ...answerOf(secret),
    used_by: await usedBy(secret.id),
  })
  const secretOf = async (id: string) => {
    const secret = await documents.get('secret', id)
    if (!secret) throw secretNotFound(id)
    return secret
  }

  return new Hono<RestEnv>()
    .post('/', async (c) => {
      const { name, value } = await readBody(c, NewSecret)
      const stored = await documents.put('secret', { id: newId('secret'), body: { name }, secret: value })
      return c.json(answerOf(stored))
    })
    .get('/', async (c) => {
      const page = await documents.list('secret', pageFrom(readQuery(c, PageQuery)))
      return c.json({ secrets: await Promise.all(page.items.map(withUsers)), ...moreOf(page) })
    })
    .get('/:secretId', async (c) => c.json(await withUsers(await secretOf(c.req.param('secretId')))))
    .patch('/:secretId', async (c) => {
      const { id } = await secretOf(c.req.param('secretId'))
      const { name, value } = await readBody(c, SecretChange)
      return c.json(answerOf(await documents.put('secret', { id, body: { name }, secret: value })))
    })
    .delete('/:secretId', async (c) => {
      const id = c.req.param('secretId')
      const { tools, agents } = await usedBy(id)
      const users = [...tools, ...agents].map(({ name }) => name)
      if (users.length > 0) {
        throw new Refusal(
          'resource_in_use',
          `The secret ${id} is used by ${users.join(', ')}. Take it out there first.`,
        )
      }
      if (!(await documents.remove('secret', id))) throw secretNotFound(id)
      return c.body(null, 204)
    })
}

const NewSecret = z.object({ type: z.literal('new'), name: z.string().min(1), value: z.string() })
const SecretChange = z.object({ type: z.literal('update'), name: z.string().min(1), value: z.string() })

const answerOf = ({ id, body }: StoredDocument) => ({ type: 'stored', secret_id: id, name: body['name'] })

const secretNotFound = (id: string) =>
  new Refusal('secret_not_found', `There is no secret with the id ${id}.`, 'secret_id')
