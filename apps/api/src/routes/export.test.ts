import { parseWorkflow } from '@parley/engine'
import { createAnswerScript, createScriptedModel } from '@parley/engine/testing'
import { expect, onTestFinished, test } from 'vitest'
import { framesOf, testApi, tokenOf } from '../testing/test-api.ts'

async function talkedTo(title: string) {
  const api = await testApi(createScriptedModel([createAnswerScript('In Kyōto: over there.')]))
  onTestFinished(api.close)
  const started = await api.call('POST', '/v1/sessions', { body: { channel: 'text', title } })
  const { sessionId } = (await started.json()) as { sessionId: string }
  const said = await api.call('POST', `/v1/sessions/${sessionId}/messages`, {
    body: { text: 'Where is {{it}}?' },
    headers: { accept: 'text/event-stream' },
  })
  await framesOf(said)
  return { ...api, path: `/v1/sessions/${sessionId}`, sessionId }
}

test('[S14] a session is given out as a workflow file, by GET and POST alike', async () => {
  const { call, path, sessionId } = await talkedTo('"Letters"; to\r\nOslo/../..')
  const read = await call('GET', `${path}/export`)
  expect(read.status).toBe(200)
  expect(read.headers.get('content-type')).toBe('application/yaml; charset=utf-8')
  expect(read.headers.get('content-disposition')).toBe('attachment; filename="letters-to-oslo.relavium.yaml"')
  expect(read.headers.get('cache-control')).toBe('no-store')
  const yaml = await read.text()
  const workflow = await parseWorkflow(yaml, { file: 'answer' })
  expect(workflow.nodes[1]).toMatchObject({ id: 'turn-1', prompt_template: 'Where is { {it}}?' })
  expect(workflow.metadata?.['relaviumExport']).toMatchObject({ sessionId, source: 'session' })
  expect(await (await call('POST', `${path}/export`)).text()).toBe(yaml)
})

test('[S14] to export a session does not change it', async () => {
  const { call, path } = await talkedTo('東京')
  const before = await (await call('GET', path)).json()
  const first = await call('GET', `${path}/export`)
  expect(first.headers.get('content-disposition')).toContain('"exported-session.relavium.yaml"')
  expect(await (await call('GET', path)).json()).toEqual(before)
  expect(await (await call('GET', `${path}/export`)).text()).toBe(await first.text())
})

test('[S5] [S14] an export adds an event, and the next export has the same bytes', async () => {
  const { call, path } = await talkedTo('Oslo')
  const { lastSequence, ...before } = (await (await call('GET', path)).json()) as { lastSequence: number }
  const first = await (await call('POST', `${path}/export`)).text()
  const frames = await framesOf(
    await call('GET', `${path}/events?after=${lastSequence}`),
    ({ type }) => type === 'session:exported',
  )
  expect(frames).toMatchObject([{ event: { type: 'session:exported', sequenceNumber: lastSequence + 1 } }])
  expect(await (await call('GET', path)).json()).toEqual({ ...before, lastSequence: lastSequence + 1 })
  expect(await (await call('POST', `${path}/export`)).text()).toBe(first)
  await call('POST', `${path}/end`)
  expect((await call('POST', `${path}/export`)).status).toBe(200)
})

test.each(['GET', 'POST'])(
  '[A3] %s: an export is for the session’s person and for admins',
  async (method) => {
    const { call, path } = await talkedTo('Mine')
    const statusFor = async (token: string) => (await call(method, `${path}/export`, { token })).status
    expect(await statusFor(tokenOf('viewer'))).toBe(404)
    expect(await statusFor(tokenOf('operator'))).toBe(404)
    expect(await statusFor(tokenOf('guest'))).toBe(403)
    expect(await statusFor('')).toBe(401)
    expect(await statusFor(tokenOf('admin'))).toBe(200)
  },
)

test('a session that is not there cannot be exported, and the description names the file', async () => {
  const { call } = await talkedTo('Mine')
  const missing = await call('GET', '/v1/sessions/ses_none/export')
  expect(await missing.json()).toMatchObject({ code: 'session_not_found', status: 404 })
  const described = (await (await call('GET', '/v1/openapi.json')).json()) as {
    paths: Record<string, unknown>
  }
  expect(described.paths['/v1/sessions/{sessionId}/export']).toMatchObject({
    get: { responses: { 200: { content: { 'application/yaml': {} } } } },
    post: { responses: { 200: { content: { 'application/yaml': {} } } } },
  })
})

test('[S14] a JSON export holds the file and its content', async () => {
  const { call, path } = await talkedTo('Oslo')
  const yaml = await (await call('GET', `${path}/export`)).text()
  const read = await call('GET', `${path}/export`, { headers: { accept: 'application/json' } })
  const exported = (await read.json()) as { yaml: string; workflow: object }
  expect(exported).toMatchObject({ fileName: 'oslo.relavium.yaml', yaml })
  expect(exported.workflow).toEqual(await parseWorkflow(yaml, { file: 'answer' }))
})
