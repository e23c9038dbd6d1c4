import { CorrectionAccepted, Patch, Reflection, Source } from '@parley/contracts'
import { expect } from 'vitest'
import { eventually, type Garden, PUBLISHED, type SpokenApi } from './garden.ts'

/** What was learned, in every state that it can be in. Gives the namespaces that stay private. */
export async function plantKnowledge(garden: Garden): Promise<readonly string[]> {
  const { api, reflectionId, plant, mark } = garden
  const at = `/reflections/${reflectionId}`
  const secret = plant('the name of a namespace').toLowerCase()
  for (const name of ['essays', 'talks', 'diary', secret])
    await api.call('POST', `${at}/namespaces`, { name })

  const essays = `I grew up in ${PUBLISHED.word}. I work as a gardener. I built an observatory in 1954. I live in Oxford.`
  const diary = [
    `My boat is called ${plant('a fact')}.`,
    `I was born in ${plant('a fact of the capsule')}.`,
    // What is said in public too, in words that are not.
    `I work as a gardener, as ${plant('words that bear out what is published too')} will tell you.`,
    `Under the pear tree lies what ${plant('the text of a source')} gave me.`,
  ]
  const title = `Notes of ${plant('the title of a source')}`
  const hidden = `I studied at ${plant('a fact of a namespace whose name is private')}.`
  const before = `My dog is called ${plant('a fact that was superseded')}.`
  const talks = await added(api, at, { title: 'Talks', namespace: 'talks', text: before })
  const learning = [
    talks,
    await added(api, at, { title: 'Essays', namespace: 'essays', text: essays }),
    await added(api, at, { title, namespace: 'diary', text: diary.join(' ') }),
    await added(api, at, { title: 'A key', namespace: secret, text: hidden }),
    await addedFile(garden, at),
    await addedToAnother(garden),
  ]
  await Promise.all(learning.map((path) => isLearned(api, path)))
  mark('the id of a source', learning[2]?.split('/').at(-1) ?? '')

  // A new version, in a namespace that is published: what was true before is not told.
  await api.call('PUT', talks, { title: 'Talks', namespace: 'talks', text: 'My dog is called Rex.' })
  const facts = async () => JSON.stringify((await api.call('GET', `${at}/facts?limit=100`)).answer)
  await Promise.all([corrected(garden, at), eventually(async () => expect(await facts()).toContain('Rex'))])
  await api.call('POST', `${at}/publish`, { namespaces: ['essays', 'talks'] })
  return ['diary', secret]
}

interface NewSource {
  readonly title: string
  readonly namespace: string
  readonly text: string
}

/** Gives where the source is. */
async function added(api: SpokenApi, at: string, source: NewSource): Promise<string> {
  const { answer } = await api.call('POST', `${at}/sources`, source)
  return `${at}/sources/${Source.parse(answer).id}`
}

const isLearned = (api: SpokenApi, path: string) =>
  eventually(async () => expect((await api.call('GET', path)).answer).toMatchObject({ state: 'completed' }))

async function addedFile({ api, plant }: Garden, at: string): Promise<string> {
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

/** Of facts that are published: a correction that was rejected, one that still waits, and one that was approved, with more words than it states. */
async function corrected({ api, plant }: Garden, at: string): Promise<void> {
  const proposed = async (correction: string, fact = 'Ada Example works as a gardener') => {
    const asked = { fact, correction }
    const { patchId } = CorrectionAccepted.parse((await api.call('POST', `${at}/corrections`, asked)).answer)
    const path = `${at}/patches/${patchId}`
    const status = async () => Patch.safeParse((await api.call('GET', path)).answer).data?.status
    await eventually(async () => expect(await status()).toBe('proposed'))
    return { path, status }
  }
  const confided = plant('words of a correction that was approved')
  const [rejected, , approved] = await Promise.all([
    proposed(`I work as a ${plant('a fact that was rejected')}.`),
    proposed(`I work as a ${plant('a fact that waits')}.`),
    proposed(`I live in Bergen. It is because of ${confided}.`, 'Ada Example lives in Oxford'),
  ])
  await api.call('POST', `${rejected.path}/reject`, {})
  await api.call('POST', `${approved.path}/approve`, {})
  await eventually(async () => expect(await rejected.status()).toBe('rejected'))
  await eventually(async () => expect(await approved.status()).toBe('applied'))
}

/** Another reflection, whose namespaces have the same names and are published. */
async function addedToAnother({ api, plant }: Garden): Promise<string> {
  const displayName = `Grace ${plant('the name of another reflection')}`
  const { id } = Reflection.parse((await api.call('POST', '/reflections', { displayName })).answer)
  const at = `/reflections/${id}`
  await api.call('POST', `${at}/namespaces`, { name: 'essays' })
  await api.call('POST', `${at}/publish`, { namespaces: ['essays'] })
  const text = `I grew up in ${plant('what another reflection has published')}. I work as a gardener.`
  return added(api, at, { title: 'Essays', namespace: 'essays', text })
}
