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
import { type Canary, createCanary } from './canary.ts'
import { waitUntilPasses, type PlantingContext, PUBLISHED, type SpokenApi } from './planting-context.ts'
import { plantConversations } from './plant-conversations.ts'
import { plantKnowledge } from './plant-knowledge.ts'

export type PlantedServer = Awaited<ReturnType<typeof startPlantedServer>>

/** API, worker and voice provider, with a canary in every private place of a partly published reflection. */
export async function startPlantedServer() {
  const api = await spokenApi({ webhookSecret: null })
  const logger = pino({}, { write: (line: string) => void api.logged.push(line) })
  const worker = await startWorkerProcess({ databaseUrl: api.databaseUrl, logger })
  const canaries: Canary[] = []
  const mark = (place: string, word: string) => void canaries.push({ place, word })
  const plant = (place: string) => {
    const one = createCanary(place)
    canaries.push(one)
    return one.word
  }

  const made = await api.call('POST', '/reflections', {
    displayName: 'Ada Example',
    creatorName: `Vesna ${plant('a former name of the creator')}`,
  })
  const { id: reflectionId } = Reflection.parse(made.answer)
  const at = `/reflections/${reflectionId}`
  await api.call('PATCH', at, { voice: { voiceId: 'slt', kind: 'stock' } })
  const garden: PlantingContext = { api, reflectionId, plant, mark }
  const hidden = await plantKnowledge(garden)
  // Facts that were learned before keep the former name.
  await api.call('PATCH', at, { creatorName: `Mira ${plant('the name of the creator')}` })
  await plantConversations(garden)
  await plantSecrets(garden)
  await plantLogInputs(garden)
  await waitUntilPasses(async () =>
    expect(await readPublicArtifacts(api, reflectionId)).toContain(PUBLISHED.word),
  )

  const share = async (body: object = {}) =>
    CreatedShareLink.parse((await api.call('POST', `${at}/share-links`, body)).answer)
  return {
    ...api,
    reflectionId,
    at,
    canaries: canaries as readonly Canary[],
    /** The private namespaces. */
    hidden,
    share,
    readPublicArtifacts: () => readPublicArtifacts(api, reflectionId),
    async [Symbol.asyncDispose]() {
      await worker.stop()
      await api[Symbol.asyncDispose]()
    },
  }
}

/** The promoted artifacts for the public. */
async function readPublicArtifacts({ database }: SpokenApi, reflectionId: ReflectionId): Promise<string> {
  const served = (await database.runtime.readPromoted(reflectionId))?.artifacts
  if (!served) return ''
  const { public_standard, public_emerging } = served.prompt_packs
  return JSON.stringify([served.reflection_voice_dossier.public, public_standard, public_emerging])
}

async function plantSecrets({ api, mark }: PlantingContext): Promise<void> {
  mark('the key of the provider', KEY)
  mark('the secret of the tools', TOOL_SECRET)
  for (const secret of BINDING_SECRETS) mark('a binding secret', secret)
  const kept = await readFile(join(api.home, 'webhook.json'), 'utf8')
  for (const [, secret = ''] of kept.matchAll(/"(wsec_[^"]+)"/g)) mark('the secret of the webhook', secret)
  mark('the token of the owner', 'made-up-token-of-the-owner')
}

/** Sends invalid requests. Their content must not be logged. */
async function plantLogInputs({ api, reflectionId, plant }: PlantingContext): Promise<void> {
  const at = `/reflections/${reflectionId}`
  await api.call('POST', `${at}/sources`, { title: 1, text: plant('a refused body') })
  await api.call('POST', `${at}/namespaces`, { [plant('a refused key')]: 1 })
  await api.call('POST', `${at}/namespaces`, `{"name": ${plant('an invalid JSON body')}`)
  await api.call('GET', `${at}/facts?state=${plant('a refused query')}`)
  await api.call('GET', '/me', undefined, plant('an invalid token'))
  await api.send('GET', `/r/${plant('an invalid link')}`)
  await api.tool('retrieve-context', { query: plant('a refused tool call') })
  await api.tool('retrieve-context', {}, plant('an invalid tool secret'))
  await api.send('POST', '/webhooks/elevenlabs', plant('an invalid webhook'), {
    'content-type': 'application/json',
    'elevenlabs-signature': 't=1,v0=made-up',
  })
}
