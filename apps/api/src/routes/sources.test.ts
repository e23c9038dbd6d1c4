import {
  CONVERSATIONS,
  CorrectionAccepted,
  MAX_SOURCE_BYTES,
  PatchPage,
  RetrievalResult,
  Source,
  SourcePage,
} from '@parley/contracts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { knowledgeApi } from '../testing/knowledge-api.ts'
import { learn } from '../testing/learn.ts'

let api: Awaited<ReturnType<typeof knowledgeApi>>
beforeAll(async () => {
  api = await knowledgeApi()
})
afterAll(() => api[Symbol.asyncDispose]())

const formOf = (bytes: Uint8Array<ArrayBuffer>, fields: Readonly<Record<string, string>>) => {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.set(name, value)
  form.set('file', new Blob([bytes], { type: 'text/markdown' }), 'C:\\letters\\to-oslo.md')
  return form
}

test('[K4] text and files are stored and queued; they are found once learned', async () => {
  const { id } = await api.reflection()
  const text = await api.call('POST', `/reflections/${id}/sources`, {
    body: { title: 'Letter', namespace: 'general', text: 'I live in Oslo.' },
  })
  expect(text.status).toBe(202)
  expect(Source.parse(text.answer)).toMatchObject({ title: 'Letter', state: 'queued', bytes: 15 })
  const file = await api.call('POST', `/reflections/${id}/sources`, {
    body: formOf(new TextEncoder().encode('# Oslo'), { namespace: 'general' }),
  })
  expect(Source.parse(file.answer)).toMatchObject({
    title: 'to-oslo.md',
    fileName: 'to-oslo.md',
    mediaType: 'text/markdown',
    bytes: 6,
  })
  const { id: sourceId } = Source.parse(file.answer)
  const path = `/reflections/${id}/sources/${sourceId}`
  const again = await api.call('PUT', path, {
    body: formOf(new TextEncoder().encode('# Bergen'), { namespace: 'general', title: 'Moved' }),
  })
  expect(Source.parse(again.answer)).toMatchObject({ id: sourceId, title: 'Moved', bytes: 8 })
  expect((await api.call('GET', `/reflections/${id}/sources`)).answer).toMatchObject({
    items: expect.arrayContaining([expect.objectContaining({ id: sourceId })]),
  })
  const asked = await api.call('POST', `/reflections/${id}/ask`, { body: { query: 'Where do you live?' } })
  expect(RetrievalResult.parse(asked.answer)).toMatchObject({ evidence: [], tookMs: expect.any(Number) })
  const removed = await api.call('DELETE', path)
  expect(removed).toMatchObject({ status: 202, answer: { state: 'removing' } })
})

test('sources are listed by namespace', async () => {
  const { id } = await api.reflection()
  for (const namespace of ['work', 'general']) {
    await api.call('POST', `/reflections/${id}/namespaces`, { body: { name: namespace } })
    const body = { title: `Of ${namespace}`, namespace, text: 'I live in Oslo.' }
    await api.call('POST', `/reflections/${id}/sources`, { body })
  }
  const titles = async (query: string) => {
    const { answer } = await api.call('GET', `/reflections/${id}/sources${query}`)
    return SourcePage.parse(answer).items.map(({ title }) => title)
  }
  expect(await titles('?namespace=work')).toEqual(['Of work'])
  expect(await titles('?namespace=nowhere')).toEqual([])
  expect((await titles('')).toSorted()).toEqual(['Of general', 'Of work'])
})

test('a file that is too large is refused with the limit', async () => {
  const { id } = await api.reflection()
  const send = (bytes: number) =>
    api.call('POST', `/reflections/${id}/sources`, {
      body: formOf(new Uint8Array(bytes), { namespace: 'general' }),
    })
  expect((await send(MAX_SOURCE_BYTES + 1)).problem).toMatchObject({
    code: 'payload_too_large',
    detail: expect.stringContaining(String(MAX_SOURCE_BYTES)),
  })
  expect((await send(MAX_SOURCE_BYTES + 2_000_000)).problem?.code).toBe('payload_too_large')
})

test('only sources accept a form, and a form without a file is refused', async () => {
  const { id } = await api.reflection()
  const form = formOf(new Uint8Array(1), { namespace: 'general' })
  expect((await api.call('POST', '/reflections', { body: form })).problem?.code).toBe(
    'unsupported_media_type',
  )
  const empty = new FormData()
  empty.set('namespace', 'general')
  empty.set('title', 'Nothing')
  const { problem } = await api.call('POST', `/reflections/${id}/sources`, { body: empty })
  expect(problem?.detail).toContain('file: the file itself is missing')
})

test('a source of another reflection does not exist here', async () => {
  const { id } = await api.reflection('One')
  const { id: other } = await api.reflection('Other')
  const { answer } = await api.call('POST', `/reflections/${id}/sources`, {
    body: { title: 'Letter', namespace: 'general', text: 'I live in Oslo.' },
  })
  const { id: sourceId } = Source.parse(answer)
  for (const method of ['GET', 'DELETE']) {
    const { problem } = await api.call(method, `/reflections/${other}/sources/${sourceId}`)
    expect(problem?.code).toBe('source_not_found')
  }
  expect((await api.call('GET', `/reflections/${other}/patches/pat_0`)).problem?.code).toBe('not_found')
})

test('[K4] no source is added to the namespace of the transcripts', async () => {
  const { id } = await api.reflection()
  const bodies = [
    { title: 'Letter', namespace: CONVERSATIONS, text: 'I live in Oslo.' },
    formOf(new Uint8Array(1), { namespace: CONVERSATIONS }),
  ]
  for (const body of bodies) {
    const { status, problem } = await api.call('POST', `/reflections/${id}/sources`, { body })
    expect({ status, code: problem?.code }).toEqual({ status: 422, code: 'namespace_reserved' })
    expect(problem?.detail).toContain('transcripts of sessions')
  }
  expect((await api.call('GET', `/reflections/${id}/sources`)).answer).toEqual({ items: [] })
})

test('[K3] a correction of a fact is accepted with the id of its future patch', async () => {
  const { id } = await api.reflection()
  const { operator, viewer } = await api.members(id)
  const correct = (token: string | undefined, body: unknown) =>
    api.call('POST', `/reflections/${id}/corrections`, { token: token ?? '', body })
  const said = { fact: 'Ada lives in Oslo', correction: 'Ada lives in Bergen.' }
  const { status, answer } = await correct(operator, said)
  expect(status).toBe(202)
  expect(CorrectionAccepted.parse(answer).patchId).toMatch(/^pat_/)
  expect((await correct(viewer, said)).problem?.code).toBe('forbidden')
  for (const wrong of [{ fact: 'x' }, { ...said, correction: ' ' }, { ...said, fact: 'a\0' }]) {
    expect((await correct(operator, wrong)).status).toBe(400)
  }
})

test('[K3] a patch that does not exist yet is reported as in preparation to those who may see it', async () => {
  const { id } = await api.reflection()
  const body = { fact: 'Ada lives in Oslo', correction: 'Ada lives in Bergen.' }
  const { answer } = await api.call('POST', `/reflections/${id}/corrections`, { body })
  const { patchId } = CorrectionAccepted.parse(answer)
  const at = `/reflections/${id}/patches/${patchId}`
  for (const asked of [await api.call('POST', `${at}/approve`), await api.call('GET', at)]) {
    expect({ status: asked.status, detail: asked.problem?.detail }).toEqual({
      status: 409,
      detail: `The patch ${patchId} is still being prepared. Try again in a moment.`,
    })
  }
  const { operator } = await api.members(id)
  expect((await api.call('GET', at, { token: operator ?? '' })).status).toBe(404)
  const other = await api.reflection()
  expect((await api.call('GET', `/reflections/${other.id}/patches/${patchId}`)).status).toBe(404)
})

test('[K3] a decision that is no longer possible is refused with the reason', async () => {
  const { id } = await api.reflection()
  const { answer } = await api.call('POST', `/reflections/${id}/sources`, {
    body: { title: 'Letter', namespace: 'general', text: 'I live in Oslo.' },
  })
  await learn(api.databaseUrl, Source.parse(answer).id)
  const { items } = PatchPage.parse((await api.call('GET', `/reflections/${id}/patches`)).answer)
  const [patch] = items
  expect(patch?.status).toBe('applied')
  const { status, problem } = await api.call('POST', `/reflections/${id}/patches/${patch?.id}/approve`)
  expect({ status, detail: problem?.detail }).toEqual({
    status: 409,
    detail: `The patch ${patch?.id} was applied already. Only a patch that is waiting can be approved.`,
  })
})
