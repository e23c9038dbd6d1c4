import { createApiClient } from '@parley/api-client'
import type { ReflectionId } from '@parley/contracts'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type ConsoleServer, openConsole } from '../support/console-server.ts'
import { VOICE_KEY } from '../support/running-parley.ts'
import { signIn } from '../support/sign-in.ts'

/** A word in the unpublished diary only. */
const CANARY = 'Kettlewick'

let server: ConsoleServer
let reflectionId: ReflectionId
beforeAll(async () => {
  server = await openConsole()
  reflectionId = await createPublishedReflection()
})
afterAll(() => server?.close())

const PATIENTLY = { timeout: 60_000, interval: 200 }

async function createPublishedReflection(): Promise<ReflectionId> {
  const { reflections } = createApiClient({ baseUrl: server.ready.url, token: server.ready.token })
  const { id } = await reflections.create({ displayName: 'Ada Winter', creatorName: 'Ada Winter' })
  await reflections.change({ reflectionId: id, voice: { voiceId: 'slt', kind: 'stock' } })
  for (const [namespace, text] of [
    ['essays', 'I am Ada Winter. I work as a bookbinder. I live in Kent.'],
    ['diary', `I am Ada Winter. I was born in ${CANARY}.`],
  ] as const) {
    await reflections.addNamespace({ reflectionId: id, name: namespace })
    await reflections.addSource(id, { title: namespace, namespace, text })
  }
  const readStates = async () =>
    (await reflections.sources({ reflectionId: id })).items.map(({ state }) => state)
  await vi.waitUntil(async () => (await readStates()).every((state) => state === 'completed'), PATIENTLY)
  await reflections.publish({ reflectionId: id, namespaces: ['essays'] })
  const isBuilt = async () => (await reflections.syncStatus(id)).items.every(({ packKind }) => packKind)
  await vi.waitUntil(isBuilt, PATIENTLY)
  return id
}

const toRuntimePath = (part = '') => `/reflections/${reflectionId}/runtime${part}`

const openRuntimePage = (part = '') => signIn(server, toRuntimePath(part))

test('[P8] [P13] agents are synced, compared with the provider, and repaired', async () => {
  const { page, complaints } = await openRuntimePage()
  const row = page.getByRole('list', { name: 'Agents', exact: true }).locator('> li').first()
  await row.getByText('The agent was never synced.').waitFor()
  await row.getByRole('button', { name: 'Sync now' }).click()
  await row.getByText('Up to date', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Sync all' }).click()
  await page.locator('li[data-status="fresh"]').nth(2).waitFor()

  const agentId = (await row.locator('code').textContent()) ?? ''
  await changeAtProvider(agentId)
  await page.getByRole('button', { name: 'Compare with provider' }).click()
  await page.getByText('1 agent has problems.').waitFor()
  const field = page.getByRole('group', { name: 'Differences in temperature' })
  expect(await field.locator('del').textContent()).toContain('0.9')
  expect(await field.locator('ins').textContent()).toContain('0.4')

  await page.getByRole('button', { name: 'Repair' }).click()
  await page.getByRole('group', { name: 'Repair agents' }).getByRole('button', { name: 'Repair' }).click()
  await page.getByText('No differences.').waitFor()

  await page.getByLabel('Agent', { exact: true }).selectOption('public')
  await page.getByRole('button', { name: 'Run tests' }).click()
  await page.getByText(/^\d+ of \d+ passed/).waitFor()
  expect(await page.locator('li[data-verdict="passed"]').count()).toBeGreaterThan(2)
  expect(complaints).toEqual([])
})

async function changeAtProvider(agentId: string) {
  const response = await fetch(`${server.ready.voiceUrl}/v1/convai/agents/${agentId}`, {
    method: 'PATCH',
    headers: { 'xi-api-key': VOICE_KEY, 'content-type': 'application/json' },
    body: JSON.stringify({ conversation_config: { agent: { prompt: { temperature: 0.9 } } } }),
  })
  expect(response.status).toBe(200)
}

test('[P9] the version history is verified in the browser, and versions are opened and compared', async () => {
  const { page, complaints } = await openRuntimePage('/ledger')
  await page.getByText('In use').waitFor()
  await page.getByRole('button', { name: 'Verify', exact: true }).click()
  await page.getByText(/^All \d+ entries are valid; version \d+ is in use\.$/).waitFor()

  await page
    .getByRole('link', { name: /^Version \d+$/ })
    .first()
    .click()
  await page.getByText('Private dossier').click()
  await page.getByText(`Ada Winter was born in ${CANARY}`).first().waitFor()
  await page.getByLabel('Compare with').selectOption('1')
  await page.waitForURL(/beside=1/)
  await page.reload()
  await page.getByText(/^From version 1 to \d+: \d+ parts changed\.$/).waitFor()
  await page.getByRole('group', { name: 'Changes in evidence' }).locator('ins').first().waitFor()
  expect(complaints).toEqual([])
})

test('[P9] a changed entry is found by the verification', async () => {
  const { page } = await openRuntimePage('/ledger')
  await page.route(/\/artifacts\?/, async (route) => {
    const response = await route.fetch()
    const ledger = (await response.json()) as { items: { position: number; at: string }[] }
    for (const entry of ledger.items) if (entry.position === 2) entry.at = '2020-01-01T00:00:00.000Z'
    await route.fulfill({ response, json: ledger })
  })
  await page.getByRole('button', { name: 'Verify', exact: true }).click()
  const wrong = page.getByRole('list', { name: 'Problems in the version history' })
  await wrong.getByText('Entry 2 does not say what its hash was made from.').waitFor()
  expect(await wrong.getByRole('listitem').count()).toBe(1)
})

test('[V7] [V8] every variable is listed, and a smaller budget cuts by rank', async () => {
  const { page, complaints } = await openRuntimePage('/variables')
  const plan = page.getByRole('region', { name: 'Plan' })
  await plan.getByText('retrieve-context, request-source-ingest, propose-fact-correction').waitFor()
  await waitForVariable(page, 'reflection_capsule_json', 'withheld')
  expect(await page.locator('[data-variable]').count()).toBe(18)

  await page.getByLabel('Agent', { exact: true }).selectOption('generic')
  await waitForVariable(page, 'reflection_capsule_json', 'sent')
  await page.getByRole('slider').fill('500')
  await page.waitForURL(/budget=500/)
  await waitForVariable(page, 'reflection_capsule_json', 'dropped')
  await waitForVariable(page, 'user_id', 'sent')
  await page.getByText(/of 500 characters, [\d,]+ cut$/).waitFor()
  await page.reload()
  await waitForVariable(page, 'reflection_capsule_json', 'dropped')
  await page.getByRole('slider').fill('50')
  await plan.getByText(/no session would start/).waitFor()
  await page.getByRole('button', { name: 'Reset' }).click()
  await waitForVariable(page, 'reflection_capsule_json', 'sent')

  await page.getByLabel('Mode').selectOption('interview')
  await page.getByLabel('Role').selectOption('viewer')
  await plan.getByText(/An interview is for the owner, admins and operators/).waitFor()
  expect(complaints).toEqual([])
})

test('[V2] [P5] a public preview may only retrieve, and shows nothing private', async () => {
  const { page } = await openRuntimePage('/variables')
  const evidence = page.locator('[data-variable="preloaded_evidence"]')
  await evidence.getByText(CANARY).waitFor({ state: 'attached' })
  await page.getByLabel('Audience').selectOption('public')
  await page.getByLabel('Mode').selectOption('share')
  const plan = page.getByRole('region', { name: 'Plan' })
  await plan.getByText('retrieve-context', { exact: true }).waitFor()
  await waitForVariable(page, 'user_context', 'withheld')
  await evidence.getByText('bookbinder').waitFor({ state: 'attached' })
  expect(await page.locator('#main').textContent()).not.toContain(CANARY)
})

test('[A1] a viewer sees the status, and no actions', async () => {
  const { tokens } = createApiClient({ baseUrl: server.ready.url, token: server.ready.token })
  const { token = '' } = await tokens.create({ label: 'Vera', role: 'viewer', reflectionId })
  const { page } = await signIn(server, toRuntimePath(), { token })
  await page.getByRole('list', { name: 'Agents', exact: true }).waitFor()
  expect(await page.getByRole('button', { name: /Sync|Compare|Run tests/ }).count()).toBe(0)
  expect(await page.getByText('you can also sync it now').count()).toBe(0)
  await page.getByRole('link', { name: 'Version history' }).click()
  await page.getByText('In use').waitFor()
  expect(await page.getByRole('button', { name: 'Verify', exact: true }).count()).toBe(0)
  await page.getByRole('link', { name: 'Variables' }).click()
  await page.getByText(/only admins of this reflection can see them/).waitFor()
})

const waitForVariable = (page: Page, name: string, fate: string) =>
  page.locator(`[data-variable="${name}"][data-fate="${fate}"]`).waitFor()
