import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { CreatedShareLink, Reflection, type ReflectionId } from '@parley/contracts'
import { startWorkerProcess } from '@parley/worker'
import { pino } from 'pino'
import { expect } from 'vitest'
import {
  BINDING_SECRETS,
  KEY,
  spokenApi,
  TOOL_SECRET,
} from '../../apps/api/src/reflections/spoken-api.fixture.ts'
import { type Canary, canary } from './canary.ts'
import { eventually, type Garden, PUBLISHED, type SpokenApi } from './garden.ts'
import { plantConversations } from './plant-conversations.ts'
import { plantKnowledge } from './plant-knowledge.ts'

export type Planted = Awaited<ReturnType<typeof plantedServer>>

/** API, worker and voice provider, with a canary in every private place of a reflection that is published in part. */
export async function plantedServer() {
  const api = await spokenApi({ webhookSecret: null })
  const logger = pino({}, { write: (line: string) => void api.logged.push(line) })
  const worker = await startWorkerProcess({ databaseUrl: api.databaseUrl, logger })
  const canaries: Canary[] = []
  const mark = (place: string, word: string) => void canaries.push({ place, word })
  const plant = (place: string) => {
    const one = canary(place)
    canaries.push(one)
    return one.word
  }

  const made = await api.call('POST', '/reflections', {
    displayName: 'Ada Example',
    creatorName: `Vesna ${plant('a name that the creator had before')}`,
  })
  const { id: reflectionId } = Reflection.parse(made.answer)
  const at = `/reflections/${reflectionId}`
  await api.call('PATCH', at, { voice: { voiceId: 'slt', kind: 'stock' } })
  const garden: Garden = { api, reflectionId, plant, mark }
  const hidden = await plantKnowledge(garden)
  // What was learned before still tells of them by the name that they had.
  await api.call('PATCH', at, { creatorName: `Mira ${plant('the name of the creator')}` })
  await plantConversations(garden)
  await plantSecrets(garden)
  await plantLogInputs(garden)
  await eventually(async () => expect(await publicNow(api, reflectionId)).toContain(PUBLISHED.word))

  const share = async (body: object = {}) =>
    CreatedShareLink.parse((await api.call('POST', `${at}/share-links`, body)).answer)
  return {
    ...api,
    reflectionId,
    at,
    canaries: canaries as readonly Canary[],
    /** The namespaces that are not published. */
    hidden,
    share,
    publicNow: () => publicNow(api, reflectionId),
    async [Symbol.asyncDispose]() {
      await worker.stop()
      await api[Symbol.asyncDispose]()
    },
  }
}

/** All that serves the public now. */
async function publicNow({ database }: SpokenApi, reflectionId: ReflectionId): Promise<string> {
  const served = (await database.runtime.promoted(reflectionId))?.artifacts
  if (!served) return ''
  const { public_standard, public_emerging } = served.prompt_packs
  return JSON.stringify([served.reflection_voice_dossier.public, public_standard, public_emerging])
}

async function plantSecrets({ api, mark }: Garden): Promise<void> {
  mark('the key of the provider', KEY)
  mark('the secret of the tools', TOOL_SECRET)
  for (const secret of BINDING_SECRETS) mark('a binding secret', secret)
  const kept = await readFile(join(api.home, 'webhook.json'), 'utf8')
  for (const [, secret = ''] of kept.matchAll(/"(wsec_[^"]+)"/g)) mark('the secret of the webhook', secret)
  mark('the token of the owner', 'made-up-token-of-the-owner')
}

/** Requests that are refused, and whose words must not stay in the log. */
async function plantLogInputs({ api, reflectionId, plant }: Garden): Promise<void> {
  const at = `/reflections/${reflectionId}`
  await api.call('POST', `${at}/sources`, { title: 1, text: plant('a body that was refused') })
  await api.call('POST', `${at}/namespaces`, { [plant('a key that was refused')]: 1 })
  await api.call('POST', `${at}/namespaces`, `{"name": ${plant('a body that is no JSON')}`)
  await api.call('GET', `${at}/facts?state=${plant('a query that was refused')}`)
  await api.call('GET', '/me', undefined, plant('a token that is none'))
  await api.send('GET', `/r/${plant('a link that is none')}`)
  await api.tool('retrieve-context', { query: plant('a tool call that was refused') })
  await api.tool('retrieve-context', {}, plant('a tool secret that is none'))
  await api.send('POST', '/webhooks/elevenlabs', plant('a webhook that is none'), {
    'content-type': 'application/json',
    'elevenlabs-signature': 't=1,v0=made-up',
  })
}
