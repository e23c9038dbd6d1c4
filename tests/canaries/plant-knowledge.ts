import { CorrectionAccepted, Patch, Reflection, Source } from '@parley/contracts'
import { expect } from 'vitest'
import { waitUntilPasses, type PlantingContext, PUBLISHED, type SpokenApi } from './planting-context.ts'

/** Plants canaries in sources and facts of every state. Returns the private namespaces. */
export async function plantKnowledge(garden: PlantingContext): Promise<readonly string[]> {
  const { api, reflectionId, plant, mark } = garden
  const at = `/reflections/${reflectionId}`
  const secret = plant('the name of a namespace').toLowerCase()
  for (const name of ['essays', 'talks', 'diary', secret])
    await api.call('POST', `${at}/namespaces`, { name })

  const essays = `I grew up in ${PUBLISHED.word}. I work as a gardener. I built an observatory in 1954. I live in Oxford.`
  const diary = [
    `My boat is called ${plant('a fact')}.`,
    `I was born in ${plant('a fact of the capsule')}.`,
    // The fact is also public; these words about it are not.
    `I work as a gardener, as ${plant('evidence of a fact that is also public')} will tell you.`,
    `Under the pear tree lies what ${plant('the text of a source')} gave me.`,
  ]
  const title = `Notes of ${plant('the title of a source')}`
  const hidden = `I studied at ${plant('a fact of a namespace with a private name')}.`
  const before = `My dog is called ${plant('a superseded fact')}.`
  const talks = await addSource(api, at, { title: 'Talks', namespace: 'talks', text: before })
  const learning = [
    talks,
    await addSource(api, at, { title: 'Essays', namespace: 'essays', text: essays }),
    await addSource(api, at, { title, namespace: 'diary', text: diary.join(' ') }),
    await addSource(api, at, { title: 'A key', namespace: secret, text: hidden }),
    await addFile(garden, at),
    await plantOtherReflection(garden),
  ]
  await Promise.all(learning.map((path) => waitUntilImported(api, path)))
  mark('the id of a source', learning[2]?.split('/').at(-1) ?? '')

  // A new version in a public namespace: the fact of the old version stays hidden.
  await api.call('PUT', talks, { title: 'Talks', namespace: 'talks', text: 'My dog is called Rex.' })
  const readFacts = async () => JSON.stringify((await api.call('GET', `${at}/facts?limit=100`)).answer)
  await Promise.all([
    plantCorrections(garden, at),
    waitUntilPasses(async () => expect(await readFacts()).toContain('Rex')),
  ])
  await api.call('POST', `${at}/publish`, { namespaces: ['essays', 'talks'] })
  return ['diary', secret]
}

interface CanarySource {
  readonly title: string
  readonly namespace: string
  readonly text: string
}

/** Returns the source's path. */
async function addSource(api: SpokenApi, at: string, source: CanarySource): Promise<string> {
  const { answer } = await api.call('POST', `${at}/sources`, source)
  return `${at}/sources/${Source.parse(answer).id}`
}

const waitUntilImported = (api: SpokenApi, path: string) =>
  waitUntilPasses(async () =>
    expect((await api.call('GET', path)).answer).toMatchObject({ state: 'completed' }),
  )

async function addFile({ api, plant }: PlantingContext, at: string): Promise<string> {
  const form = new FormData()
  form.set('namespace', 'diary')
  const name = `${plant('the name of a file')}.txt`
  form.set('file', new File([`My cat is called ${plant('a fact of a file')}.`], name, { type: 'text/plain' }))
  const response = await fetch(`${api.url}/v1${at}/sources`, {
    method: 'POST',
    headers: { authorization: 'Bearer made-up-token-of-the-owner' },
    body: form,
  })
  return `${at}/sources/${Source.parse(await response.json()).id}`
}

/** Corrects public facts: one correction is rejected, one waits, and one with additional words is approved. */
async function plantCorrections({ api, plant }: PlantingContext, at: string): Promise<void> {
  const proposeCorrection = async (correction: string, fact = 'Ada Example works as a gardener') => {
    const asked = { fact, correction }
    const { patchId } = CorrectionAccepted.parse((await api.call('POST', `${at}/corrections`, asked)).answer)
    const path = `${at}/patches/${patchId}`
    const readStatus = async () => Patch.safeParse((await api.call('GET', path)).answer).data?.status
    await waitUntilPasses(async () => expect(await readStatus()).toBe('proposed'))
    return { path, status: readStatus }
  }
  const confidence = plant('the rest of an approved correction')
  const [rejected, , approved] = await Promise.all([
    proposeCorrection(`I work as a ${plant('a rejected fact')}.`),
    proposeCorrection(`I work as a ${plant('a fact waiting for approval')}.`),
    proposeCorrection(`I live in Bergen. It is because of ${confidence}.`, 'Ada Example lives in Oxford'),
  ])
  await api.call('POST', `${rejected.path}/reject`, {})
  await api.call('POST', `${approved.path}/approve`, {})
  await waitUntilPasses(async () => expect(await rejected.status()).toBe('rejected'))
  await waitUntilPasses(async () => expect(await approved.status()).toBe('applied'))
}

/** Another reflection, with a public namespace of the same name. */
async function plantOtherReflection({ api, plant }: PlantingContext): Promise<string> {
  const displayName = `Grace ${plant('the name of another reflection')}`
  const { id } = Reflection.parse((await api.call('POST', '/reflections', { displayName })).answer)
  const at = `/reflections/${id}`
  await api.call('POST', `${at}/namespaces`, { name: 'essays' })
  await api.call('POST', `${at}/publish`, { namespaces: ['essays'] })
  const text = `I grew up in ${plant('a public fact of another reflection')}. I work as a gardener.`
  return addSource(api, at, { title: 'Essays', namespace: 'essays', text })
}
