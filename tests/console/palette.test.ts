import { createApiClient } from '@parley/api-client'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type ConsoleServer, openConsole } from '../support/console-server.ts'
import { signIn } from '../support/sign-in.ts'

let server: ConsoleServer
beforeAll(async () => {
  server = await openConsole()
  const client = createApiClient({ baseUrl: server.ready.url, token: server.ready.token })
  const { id: reflectionId } = await client.reflections.create({ displayName: 'Ada Marlow' })
  const letter = { title: 'Letter from Bergen', namespace: 'general', text: 'I am allergic to shellfish.' }
  await client.reflections.addSource(reflectionId, letter)
  const hasFacts = async () =>
    (await client.reflections.facts({ reflectionId, state: 'active' })).items.length > 0
  await vi.waitUntil(hasFacts, { timeout: 60_000, interval: 200 })
  const { sessionId } = await client.sessions.start({ title: 'About the garden' })
  await client.sessions.send({ sessionId, text: 'The quince blossoms.', idempotencyKey: 'one' })
})
afterAll(() => server?.close())

const PATIENTLY = { timeout: 20_000 }

async function openHome(visit: Parameters<typeof signIn>[2] = {}) {
  const signed = await signIn(server, '/', visit)
  await signed.page.getByRole('heading', { name: 'Home' }).waitFor()
  return signed
}

const findSearchBox = (page: Page) => page.getByRole('combobox', { name: 'Find anything' })
const findOptions = (page: Page) => page.getByRole('option')

test('the palette opens by keys, finds by a few letters and goes there', async () => {
  const { page, complaints } = await openHome()
  await page.keyboard.press('Control+k')
  await findSearchBox(page).waitFor()
  await expect
    .poll(() => findOptions(page).first().textContent(), PATIENTLY)
    .toContain('Talk with Ada Marlow')
  await page.keyboard.type('ada fac')
  await expect.poll(() => findOptions(page).first().textContent(), PATIENTLY).toContain('Ada Marlow: Facts')
  const active = await findSearchBox(page).getAttribute('aria-activedescendant')
  expect(await findOptions(page).first().getAttribute('id')).toBe(active)
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/reflections\/rfl_\w+\/facts/)
  expect(await findSearchBox(page).count()).toBe(0)
  expect(complaints).toEqual([])
})

test('arrows move through the results, and Escape restores the focus', async () => {
  const { page } = await openHome()
  const opener = page.getByRole('button', { name: 'Find anything' })
  await opener.click()
  await page.keyboard.type('theme')
  await expect.poll(() => findOptions(page).count(), PATIENTLY).toBe(3)
  await page.keyboard.press('ArrowUp')
  expect(await findOptions(page).nth(2).getAttribute('aria-selected')).toBe('true')
  await page.keyboard.press('ArrowDown')
  expect(await findOptions(page).nth(0).textContent()).toContain('Theme: dark')
  await page.keyboard.press('Enter')
  await page.locator('html.dark').waitFor({ state: 'attached' })
  await opener.click()
  await page.keyboard.press('Escape')
  await expect
    .poll(() => page.evaluate('document.activeElement.getAttribute("aria-label")'), PATIENTLY)
    .toBe('Find anything')
})

test('sessions are found by their messages', async () => {
  const { page } = await openHome()
  await page.keyboard.press('Control+k')
  await page.keyboard.type('quince blossoms')
  await findOptions(page).filter({ hasText: 'About the garden' }).click()
  await page.getByText('The quince blossoms.').first().waitFor()
  expect(page.url()).toContain('/sessions/ses_')
})

test('facts are found by their words and sources by their titles', async () => {
  const { page, complaints } = await openHome()
  await page.keyboard.press('Control+k')
  await page.keyboard.type('shellfish')
  const fact = page.getByRole('group', { name: 'Facts' }).getByRole('option', { name: /shellfish/ })
  await fact.getByText('Fact of Ada Marlow').waitFor()
  await fact.click()
  await page.waitForURL(/\/facts\?search=/)
  await page
    .getByRole('list', { name: 'Facts' })
    .getByText(/shellfish/)
    .first()
    .waitFor()

  await page.keyboard.press('Control+k')
  await page.keyboard.type('letter ber')
  await page
    .getByRole('group', { name: 'Sources' })
    .getByRole('option', { name: /Letter from Bergen/ })
    .click()
  await page.waitForURL(/\/sources\/src_/)
  await page.keyboard.press('Control+k')
  await page.keyboard.type('zzxqj')
  await page.getByText('No results. Try other words.').waitFor()
  expect(complaints).toEqual([])
})

test('a newcomer is shown around once, by keys, and never again once they skip it', async () => {
  const client = createApiClient({ baseUrl: server.ready.url, token: server.ready.token })
  const { token = '' } = await client.tokens.create({ label: 'New', role: 'admin' })
  const { page } = await openHome({ token, knowsTour: false })
  const card = page.locator('[data-tour-card]')
  await card.getByText('1 of').waitFor()
  expect(await page.evaluate('document.activeElement.hasAttribute("data-tour-card")')).toBe(true)
  await card.getByRole('button', { name: 'Next' }).press('Enter')
  await card.getByText('2 of').waitFor()
  await page.keyboard.press('Escape')
  await card.waitFor({ state: 'detached' })
  await page.reload()
  await page.getByRole('heading', { name: 'Home' }).waitFor()
  await page.getByText('Recent sessions').waitFor()
  expect(await card.count()).toBe(0)
  await page.keyboard.press('?')
  await page.getByRole('button', { name: 'Show the tour' }).click()
  await card.getByText('1 of').waitFor()
})

test('the tour walks from talking to sharing, on a phone too', async () => {
  const { page, complaints } = await openHome({ viewport: { width: 390, height: 844 } })
  await page.keyboard.press('Control+k')
  await page.keyboard.type('tour')
  await page.keyboard.press('Enter')
  const card = page.locator('[data-tour-card]')
  const titles: (string | null)[] = []
  for (let step = 1; step <= 6; step += 1) {
    await card.getByText(`${step} of 6`).waitFor()
    titles.push(await card.locator('p').first().textContent())
    const { x = -1, width = 0 } = (await card.boundingBox()) ?? {}
    expect(x >= 0 && x + width <= 390).toBe(true)
    await card.getByRole('button', { name: step === 6 ? 'Done' : 'Next' }).click()
  }
  expect(titles).toEqual([
    'Talk to it',
    'Where answers come from',
    'Public and private',
    'Publish a folder',
    'Share it',
    'Sessions',
  ])
  await card.waitFor({ state: 'detached' })
  expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390)
  expect(complaints).toEqual([])
})
