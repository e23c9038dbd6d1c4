import { AgentTestReport, type ReflectionId, Surface } from '@parley/contracts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { learnedDemo } from './learned-demo.ts'
import { syncServer } from './sync-server.ts'

let server: Awaited<ReturnType<typeof syncServer>>
let id: ReflectionId
beforeAll(async () => {
  server = await syncServer()
  id = await learnedDemo(server.databaseUrl, await server.ownerId())
  await server.rebuild(id)
}, 150_000)
afterAll(() => server[Symbol.asyncDispose]())

test.each(Surface.options)(
  '[P14] the demo’s agent of the surface %s passes the suite of what was learned',
  async (surface) => {
    const { answer } = await server.call('POST', `/reflections/${id}/agent-tests`, { surface })
    const { items } = AgentTestReport.parse(answer)
    const asked = items.filter(({ test: { name } }) => name.endsWith(' answers'))
    expect(asked.length).toBeGreaterThan(4)
    const failed = items.filter(({ verdict }) => verdict !== 'passed')
    expect(failed.map(({ test: { history }, reasons }) => ({ history, reasons }))).toEqual([])
  },
)
