import { AgentTestReport, type ReflectionId, Surface } from '@parley/contracts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { importDemo } from '../support/demo-reflection.ts'
import { startSyncServer } from './sync-server.ts'

let server: Awaited<ReturnType<typeof startSyncServer>>
let id: ReflectionId
beforeAll(async () => {
  server = await startSyncServer()
  ;({ reflectionId: id } = await importDemo(server.databaseUrl, await server.ownerId()))
  await server.rebuild(id)
}, 150_000)
afterAll(() => server[Symbol.asyncDispose]())

test.each(Surface.options)(
  '[P14] the demo’s agent of the surface %s passes the tests of its facts',
  async (surface) => {
    const { answer } = await server.call('POST', `/reflections/${id}/agent-tests`, { surface })
    const { items } = AgentTestReport.parse(answer)
    const asked = items.filter(({ test: { name } }) => name.endsWith(' answers'))
    expect(asked.length).toBeGreaterThan(4)
    const failed = items.filter(({ verdict }) => verdict !== 'passed')
    expect(failed.map(({ test: { history }, reasons }) => ({ history, reasons }))).toEqual([])
  },
)
