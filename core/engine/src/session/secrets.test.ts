import type { CallId } from '@parley/contracts'
import { expect, test } from 'vitest'
import type { ModelEvent } from '../ports/model.ts'
import { fakeTools } from '../testing/fake-tools.ts'
import { answering, scriptedModel } from '../testing/scripted-model.ts'
import { testSessions } from '../testing/test-sessions.ts'
import { maskSecrets } from '../tools/mask-secrets.ts'

const VALUE = 'made-up-tides-key'
const FINISH: ModelEvent = { type: 'finish', reason: 'completed', usage: { inputTokens: 1, outputTokens: 1 } }

/** Sessions of a process in which a value becomes a secret when the test says so. */
function withSecret(scripts: Parameters<typeof scriptedModel>[0]) {
  let isSecret = false
  const model = scriptedModel(scripts)
  const tools = fakeTools({ run: async () => ({ kind: 'ok', text: 'found' }) })
  const mask = (text: string) => maskSecrets(text, isSecret ? [{ name: 'TIDES', value: VALUE }] : [])
  return { ...testSessions(model, { tools, mask }), model, keep: () => (isSecret = true) }
}

test('[S13] what was said before it became a secret is not given to a model any more', async () => {
  const { sessions, start, model, keep } = withSecret([answering('Noted.'), answering('Yes.')])
  const { id } = await start()
  await (
    await sessions.send(id, `It is ${VALUE}`)
  ).ended
  keep()
  await (
    await sessions.send(id, 'And now?')
  ).ended
  expect(JSON.stringify(model.asked[1])).toContain('It is [secret TIDES]')
  expect((await sessions.exported(id)).yaml).not.toContain(VALUE)
})

test('[S13] nor is it given to a model that is to summarise', async () => {
  const { sessions, start, model, keep } = withSecret([answering('Noted.'), answering('They spoke.')])
  const { id } = await start()
  await (
    await sessions.send(id, `It is ${VALUE}`)
  ).ended
  keep()
  await sessions.compact(id)
  expect(JSON.stringify(model.asked[1])).toContain('It is [secret TIDES]')
})

test('[S13] what a person says, and what a model says or asks for, is stored without it', async () => {
  const call: ModelEvent = {
    type: 'tool_call',
    call: { id: 'call-1' as CallId, name: 'look', input: { [VALUE]: [`x ${VALUE}`] } },
  }
  const { sessions, start, store, keep } = withSecret([
    [{ type: 'text', text: `I say ${VALUE}. ` }, call, FINISH],
    answering('Done.'),
  ])
  keep()
  const { id } = await start({ title: `Of ${VALUE}` })
  await (
    await sessions.send(id, `It is ${VALUE}`)
  ).ended
  await sessions.rename(id, `Again ${VALUE}`)
  expect(JSON.stringify(await store.readTail(id, 10))).not.toContain(VALUE)
  expect((await store.find(id))?.session.title).toBe('Again [secret TIDES]')
})

test('[S13] a provider that repeats it in an error does not bring it out', async () => {
  const error = { code: 'provider_auth', message: `bad key ${VALUE}`, retryable: false } as const
  const { sessions, start, eventsUntil, keep } = withSecret([[{ type: 'failure', error }]])
  keep()
  const { id } = await start()
  await (
    await sessions.send(id, 'Hello')
  ).ended
  const events = await eventsUntil(id, 0, ({ type }) => type === 'session:turn_completed')
  expect(events.at(-1)).toMatchObject({ error: { message: 'bad key [secret TIDES]' } })
})
