import { createApiClient } from '@parley/api-client'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { runSql } from '../../adapters/postgres/src/server/testing/test-cluster.ts'
import { type ConsoleServer, openConsole } from '../support/console-server.ts'
import { signIn } from '../support/sign-in.ts'

/** No server listens at this address. */
const CONFIG = `
[providers.acme]
kind = "openai-compatible"
base_url = "http://127.0.0.1:9/v1"
`

let server: ConsoleServer
beforeAll(async () => {
  server = await openConsole({ config: CONFIG })
  await createFailedTurn()
  await createFailedJob()
})
afterAll(() => server?.close())

const PATIENTLY = { timeout: 60_000, interval: 200 }

const createOwnerClient = () => createApiClient({ baseUrl: server.ready.url, token: server.ready.token })

async function createFailedTurn() {
  const { sessions } = createOwnerClient()
  const agent = { id: 'acme', provider: 'acme', model: 'one', system_prompt: '', retry: { max_attempts: 1 } }
  const { sessionId } = await sessions.start({ agent, title: 'A question to nobody' })
  await sessions.send({ sessionId, text: 'Is anybody there?', idempotencyKey: 'one' })
  await vi.waitUntil(
    async () => (await createOwnerClient().health.get('1h')).failures.length === 1,
    PATIENTLY,
  )
}

/** Inserts a job that failed for good. */
async function createFailedJob() {
  const { reflections } = createOwnerClient()
  const { id } = await reflections.create({ displayName: 'Ada Marlow' })
  const source = { title: 'Letter from Oslo', namespace: 'general', text: 'I live in Oslo.' }
  await reflections.addSource(id, source)
  const readState = async () => (await reflections.sources({ reflectionId: id })).items[0]?.state
  await vi.waitUntil(async () => (await readState()) === 'completed', PATIENTLY)
  await runSql(
    server.databaseUrl,
    `update pgboss.job set state = 'failed', output = '{"message": "The disk is full."}'
     where name = 'ingest-source'`,
  )
}

test('a problem links to its cause, and a failed job is retried', async () => {
  const { page, complaints } = await signIn(server)
  await page.getByRole('link', { name: 'acme is failing.' }).click()
  await page.getByRole('heading', { name: 'Problems found' }).waitFor()
  expect(page.url()).toContain('/health?range=1h#providers')

  const provider = page.locator('[data-provider="acme"]')
  expect(await provider.getAttribute('data-state')).toBe('failing')
  await provider.getByText('provider_unavailable').waitFor()

  const job = page.getByRole('list', { name: 'Failed jobs' }).getByRole('listitem')
  await job.getByText('The disk is full.').waitFor()
  expect(await job.getByRole('link', { name: 'Ada Marlow' }).getAttribute('href')).toMatch(/\/sources$/)
  await page.getByRole('button', { name: 'Try again: Import a source Letter from Oslo' }).click()
  await page.getByText('No failed jobs in the last day.').waitFor()

  await page.getByRole('link', { name: 'Open session' }).click()
  await page.getByText('Is anybody there?').first().waitFor()
  expect(complaints).toEqual([])
})

test('a provider is checked on request', async () => {
  const { page } = await signIn(server, '/health')
  const provider = page.locator('[data-provider="voice provider"]')
  await provider.getByRole('button', { name: 'Check voice provider' }).click()
  await page.locator('[data-provider="voice provider"][data-state="working"]').waitFor()
  expect(await provider.textContent()).toContain('working, last used just now')
})

test('the range is in the address, and charts are read by keys and as numbers', async () => {
  const { page, complaints } = await signIn(server, '/health', { colorScheme: 'dark' })
  await page.getByRole('link', { name: '7 days' }).click()
  await page.waitForURL(/range=7d/)
  await page.reload()
  const turns = page.getByRole('figure', { name: 'Turns' })
  await turns.getByRole('listitem').filter({ hasText: 'failed' }).getByText('1').waitFor()
  await turns.getByRole('group', { name: /arrow keys/ }).focus()
  await page.keyboard.press('ArrowLeft')
  await turns
    .getByText(/\d:\d\d/)
    .first()
    .waitFor()
  await turns.getByText('Numbers').click()
  await turns.getByRole('table').getByRole('row').nth(1).waitFor()
  expect(complaints).toEqual([])
})

test('[A1] people who are not admins see no link to the page, and a note when they open it', async () => {
  const { token = '' } = await createOwnerClient().tokens.create({ label: 'Vera', role: 'viewer' })
  const { page } = await signIn(server, '/', { token })
  await page.getByRole('heading', { name: 'Home' }).waitFor()
  expect(await page.getByRole('link', { name: 'Health' }).count()).toBe(0)
  await page.goto(`${server.ready.url}/health`)
  await page.getByText('This page is for server admins').waitFor()
})

test('the page fits a phone', async () => {
  const { page } = await signIn(server, '/health', { viewport: { width: 390, height: 844 } })
  await page.getByRole('figure', { name: 'Requests' }).waitFor()
  expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390)
})

test('[A1] an unreachable server is reported first, instead of the old status', async () => {
  const { page } = await signIn(server, '/health')
  await page
    .getByText(/^running, started/)
    .first()
    .waitFor()
  await server.stop()
  await page.getByRole('heading', { name: 'The server is not responding' }).waitFor()
  const [first] = await page.locator('main [data-scrolls] h2').allTextContents()
  expect(first).toBe('The server is not responding')
  expect(await page.getByText('No problems found').count()).toBe(0)
  expect(await page.getByText(/^running, started/).count()).toBe(0)
  await page.getByText('was running').first().waitFor()
})
