import { createHash, createHmac } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type PersonId,
  Problem,
  Reflection,
  type ReflectionId,
  type Role,
  SessionId,
  Source,
} from '@parley/contracts'
import { createElevenLabsProvider } from '@parley/elevenlabs'
import { testAgent } from '@parley/engine/testing'
import { openDatabase } from '@parley/postgres'
import { freshDatabase } from '@parley/postgres/testing'
import type { ReflectionSession } from '@parley/reflections'
import { startVoice } from '@parley/voice-provider'
import { pino } from 'pino'
import { z } from 'zod'
import { compose } from '../compose.ts'
import { startApi } from '../start-api.ts'
import { learn } from '../testing/learn.ts'
import type { VoiceSettings } from './voice-settings.ts'

const OWNER = 'made-up-token-of-the-owner'
export const KEY = 'sk_made_up_key_of_the_tests'
export const TOOL_SECRET = 'made-up-secret-of-the-tools'
export const BINDING_SECRETS = ['made-up-binding-secret', 'made-up-binding-secret-before'] as const
export const WEBHOOK_SECRET = 'wsec_made_up_secret_of_the_webhook'

const Made = z.object({ token: z.string(), personId: z.string(), tokenId: z.string() })

/** The API with the local voice provider beside it, both on real HTTP and on one database. */
export async function spokenApi({
  webhookSecret = WEBHOOK_SECRET,
}: { readonly webhookSecret?: string | null } = {}) {
  const fresh = await freshDatabase()
  const { databaseUrl } = fresh
  const home = await mkdtemp(join(tmpdir(), 'parley-spoken-'))
  const logged: string[] = []
  const logger = pino({}, { write: (line: string) => void logged.push(line) })
  const provider = await startVoice({ databaseUrl, port: 0, apiKey: KEY, logger, speech: SILENCE })
  const voiceAt = (publicUrl: string): VoiceSettings => ({
    provider: createElevenLabsProvider({ apiKey: KEY, baseUrl: provider.url }),
    publicUrl,
    socketOrigin: 'ws://127.0.0.1:4401',
    bindingSecrets: BINDING_SECRETS,
    toolSecret: TOOL_SECRET,
    ...(webhookSecret !== null && { webhookSecret }),
    defaultVoiceId: 'made-up-voice',
  })
  const place = { databaseUrl, home, logger }
  const api = await startApi({ ...place, voiceAt: async (url) => voiceAt(url), port: 0, ownerToken: OWNER })
  const voice = voiceAt(api.url)
  const options = { ...place, voice }
  const database = await openDatabase({ databaseUrl })

  const send = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const response = await fetch(`${api.url}/v1${path}`, {
      method,
      headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.includes('json') === true
    const answer: unknown = isJson && text !== '' ? JSON.parse(text) : text
    return { status: response.status, answer, code: Problem.safeParse(answer).data?.code }
  }
  const call = (method: string, path: string, body?: unknown, token = OWNER) =>
    send(method, path, body, { authorization: `Bearer ${token}` })

  return {
    url: api.url,
    databaseUrl,
    database,
    provider: voice.provider,
    voiceUrl: provider.url,
    publicUrl: voice.publicUrl,
    home,
    logged,
    send,
    call,
    /** Has the provider misbehave on purpose, by these rules alone. */
    async faults(...rules: readonly object[]) {
      const response = await fetch(`${provider.url}/parley/faults`, {
        method: 'PUT',
        headers: { 'xi-api-key': KEY, 'content-type': 'application/json' },
        body: JSON.stringify({ rules }),
      })
      if (!response.ok) throw new Error(await response.text())
    },
    /** The same parts as the API has, in this process, to be driven by hand. */
    services: async () => {
      const { services, database: own } = await compose(options)
      return { services, close: () => own.close() }
    },
    async member(role: Role, reflectionId: ReflectionId) {
      const { answer } = await call('POST', '/tokens', { label: `a ${role}`, role, reflectionId })
      const { personId, token } = Made.parse(answer)
      return { personId: personId as PersonId, token }
    },
    async reflection(displayName = 'Ada Example') {
      return Reflection.parse((await call('POST', '/reflections', { displayName })).answer)
    },
    /** Adds a source to a namespace of its own, and learns it. */
    async learned(reflectionId: ReflectionId, namespace: string, text: string) {
      await call('POST', `/reflections/${reflectionId}/namespaces`, { name: namespace })
      const added = await call('POST', `/reflections/${reflectionId}/sources`, {
        title: namespace,
        namespace,
        text,
      })
      const { id } = Source.parse(added.answer)
      await learn(databaseUrl, id)
      return id
    },
    /** A spoken session as it stands once it is bound. */
    async spoken(wanted: Wanted): Promise<ReflectionSession & { readonly providerConversationId: string }> {
      const sessionId = SessionId.parse(`ses_${wanted.name}`)
      const providerConversationId = wanted.providerConversationId ?? `conv_${wanted.name}`
      const { sessionAudience = 'private', ingestion = 'keep-only', role = 'operator' } = wanted
      const session = {
        sessionId,
        reflectionId: wanted.reflectionId,
        personId: wanted.personId,
        channel: 'voice' as const,
        mode: wanted.mode ?? ('reflection' as const),
        sessionAudience,
        surface: sessionAudience === 'public' ? ('public' as const) : ('standard' as const),
        role,
        ingestion,
        namespaces: wanted.namespaces ?? [],
        status: 'starting' as const,
        ...(wanted.shareLinkId !== undefined && { shareLinkId: wanted.shareLinkId }),
      }
      if (ingestion !== 'off-record') await createSession(sessionId, wanted.personId)
      await database.sessionRows.open(session)
      if (sessionAudience === 'public') {
        const { reflectionId, namespaces } = session
        await database.publicScopes.create({ sessionId, reflectionId, namespaces })
      }
      await database.sessionRows.activateSpoken(sessionId, {
        providerConversationId,
        agentId: 'agent_made_up',
      })
      const bound = await database.sessionRows.find(sessionId)
      if (!bound) throw new Error('The session is not there')
      return { ...bound, providerConversationId }
    },
    tool: (action: string, body: object, secret = TOOL_SECRET) =>
      send('POST', `/tools/${action}`, body, { 'x-tool-secret': secret }),
    async [Symbol.asyncDispose]() {
      await database.close()
      await api.stop()
      await provider.stop()
      await fresh.drop()
      await rm(home, { recursive: true, force: true })
    },
  }

  async function createSession(id: SessionId, ownerId: PersonId) {
    const at = new Date().toISOString()
    const context = { workingDir: home, fsScopeTier: 'sandboxed' as const }
    await database.sessions.create(
      {
        id,
        ownerId,
        channel: 'voice',
        status: 'active',
        agentSlug: 'offline',
        agentSnapshot: { ...testAgent, id: 'offline', provider: 'offline', model: 'offline' },
        context,
        messageCount: 0,
        costs: {},
        grants: [],
        createdAt: at,
        updatedAt: at,
      },
      {
        sequenceNumber: 1,
        timestamp: at,
        body: {
          type: 'session:started',
          agent: { id: 'offline', model: 'offline', provider: 'offline' },
          context,
        },
      },
    )
  }
}

interface Wanted
  extends
    Pick<ReflectionSession, 'reflectionId' | 'personId'>,
    Partial<
      Pick<
        ReflectionSession,
        | 'sessionAudience'
        | 'ingestion'
        | 'role'
        | 'mode'
        | 'namespaces'
        | 'shareLinkId'
        | 'providerConversationId'
      >
    > {
  /** The prefix of its ids. */
  readonly name: string
}

export const signatureOf = (conversationId: string, secret: string = BINDING_SECRETS[0]) =>
  createHmac('sha256', secret).update(conversationId).digest('hex')

/** As the provider's agent calls, with what the session was given. */
export const claimOf = (session: Pick<ReflectionSession, 'sessionId' | 'providerConversationId'>) => ({
  conversation_id: session.sessionId as string,
  conversation_bind_sig: signatureOf(session.sessionId),
  provider_conversation_id: session.providerConversationId ?? '',
})

export const hashOf = (token: string) => createHash('sha256').update(token).digest()

const SILENCE = {
  recogniser: { recognise: async () => '' },
  synthesiser: { synthesise: async () => ({ samples: new Int16Array(160), sampleRate: 16_000 }) },
  close: async () => {},
}
