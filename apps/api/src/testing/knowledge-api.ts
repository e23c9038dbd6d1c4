import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CreatedToken, type MemberRole, Problem, Reflection, type Role } from '@parley/contracts'
import { freshDatabase } from '@parley/postgres/testing'
import { pino } from 'pino'
import { z } from 'zod'
import type { ComposeOptions } from '../compose.ts'
import { startApi } from '../start-api.ts'

const OWNER = 'made-up-token-of-the-owner'

const Made = CreatedToken.extend({ token: z.string() })

/** The whole API on a real database of its own, without a worker. */
export async function knowledgeApi(given: Partial<ComposeOptions> = {}) {
  const fresh = await freshDatabase()
  const home = await mkdtemp(join(tmpdir(), 'parley-api-'))
  const logger = pino({ level: 'silent' })
  const { databaseUrl } = fresh
  const api = await startApi({ databaseUrl, home, port: 0, ownerToken: OWNER, logger, ...given })

  const call = async (method: string, path: string, { token = OWNER, body }: Sent = {}) => {
    const isForm = body instanceof FormData
    const response = await fetch(`${api.url}/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body !== undefined && !isForm && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    const answer: unknown = text === '' ? undefined : JSON.parse(text)
    return { status: response.status, answer, problem: Problem.safeParse(answer).data }
  }
  const person = async (role: Role, on?: { reflectionId: string }, token = OWNER) =>
    Made.parse((await call('POST', '/tokens', { token, body: { label: `a ${role}`, role, ...on } })).answer)
  const reflection = async (displayName = 'Ada', token = OWNER) =>
    Reflection.parse((await call('POST', '/reflections', { token, body: { displayName } })).answer)

  return {
    url: api.url,
    ownerToken: OWNER,
    databaseUrl,
    call,
    person,
    reflection,
    /** A token for each role that a member can have, by their role. */
    async members(reflectionId: string) {
      const roles: readonly MemberRole[] = ['admin', 'operator', 'viewer']
      const made = await Promise.all(roles.map((role) => person(role, { reflectionId })))
      return Object.fromEntries(roles.map((role, index) => [role, made[index]?.token ?? '']))
    },
    async [Symbol.asyncDispose]() {
      await api.stop()
      await fresh.drop()
      await rm(home, { recursive: true, force: true })
    },
  }
}

interface Sent {
  readonly token?: string
  readonly body?: unknown
}
