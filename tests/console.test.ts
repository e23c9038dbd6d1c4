import { SessionPage } from '@parley/contracts'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ConsoleServer, openConsole } from './support/console-server.ts'

let server: ConsoleServer
beforeAll(async () => {
  server = await openConsole()
})
afterAll(() => server?.close())

test('a person signs in by link, talks, reloads, and sees the conversation', async () => {
  const { page, complaints } = await newPage()
  await page.goto(`${server.ready.url}/#token=${server.ready.token}`)
  await page.getByRole('button', { name: 'New session' }).first().click()
  expect(page.url()).not.toContain(server.ready.token)
  // No session exists before the first message.
  await page.getByText('No messages yet.').waitFor()
  await page.reload()
  await page.getByRole('textbox', { name: 'Message' }).waitFor()
  expect(await countSessions()).toBe(0)
  await sendMessage(page, 'My cat is called Miso.')
  await waitForAnswer(page, 'Noted')
  expect(await countSessions()).toBe(1)
  await sendMessage(page, 'What is my cat called?')
  await waitForAnswer(page, 'My cat is called Miso.')
  await page.reload()
  await waitForAnswer(page, 'My cat is called Miso.')
  expect(await page.getByRole('log').getByText('What is my cat called?').count()).toBeGreaterThan(0)
  expect(complaints).toEqual([])
  expect(await page.evaluate(READABLE_STATE)).not.toContain(server.ready.token)

  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('button', { name: 'Sign in' }).waitFor()
  await page.reload()
  await page.getByRole('button', { name: 'Sign in' }).waitFor()
})

/** Everything that a script of the page can read. */
const READABLE_STATE =
  'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href, document.documentElement.outerHTML])'

test('a wrong token leads to the sign-in page with an error', async () => {
  const { page } = await newPage()
  await page.goto(`${server.ready.url}/#token=made-up-and-wrong`)
  await page
    .getByText(/Invalid or expired token/)
    .first()
    .waitFor()
  expect(page.url()).not.toContain('made-up')
})

test('the console works by keyboard alone, on a phone', async () => {
  const { page } = await newPage({ width: 390, height: 844 })
  await page.goto(`${server.ready.url}/#token=${server.ready.token}`)
  await page.getByRole('button', { name: 'New session' }).first().waitFor()
  await page.keyboard.press('n')
  await page.locator('textarea:focus').waitFor()
  await page.keyboard.type('Hello')
  await page.keyboard.press('Enter')
  await waitForAnswer(page, 'offline model')
  expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390)
})

async function newPage(
  viewport = { width: 1280, height: 800 },
): Promise<{ page: Page; complaints: string[] }> {
  const context = await server.newContext({ viewport })
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
  page.on('pageerror', (error) => complaints.push(error.message))
  return { page, complaints }
}

async function countSessions(): Promise<number> {
  const { url, token } = server.ready
  const list = await fetch(`${url}/v1/sessions`, { headers: { authorization: `Bearer ${token}` } })
  return SessionPage.parse(await list.json()).items.length
}

async function sendMessage(page: Page, text: string) {
  await page.getByRole('textbox', { name: 'Message' }).fill(text)
  await page.getByRole('button', { name: 'Send' }).click()
}

async function waitForAnswer(page: Page, text: string) {
  await page.locator('[data-role="assistant"]').getByText(text).last().waitFor()
}
