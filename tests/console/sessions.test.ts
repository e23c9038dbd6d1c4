import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ConsoleServer, openConsole } from '../support/console-server.ts'
import { signIn } from '../support/sign-in.ts'
import { startSteeredProvider, type SteeredProvider } from '../support/steered-provider.ts'

let server: ConsoleServer
let provider: SteeredProvider
beforeAll(async () => {
  provider = await startSteeredProvider()
  server = await openConsole({ config: provider.config })
})
afterAll(async () => {
  await server?.close()
  await provider?.close()
})

test('[S13] pending calls of all sessions are decided on one page, one after the other', async () => {
  const { page, complaints } = await signIn(server, '/approvals')
  await page.getByText('Nothing is waiting for you').waitFor()
  await createSession('Write notes.md: Bring the letters.')
  await createSession('Write plan.md: Take the train.')
  const list = page.getByRole('list', { name: 'Waiting for you' })
  await list.getByText('notes.md', { exact: true }).first().waitFor()
  await list.getByText('plan.md', { exact: true }).first().waitFor()
  await page.getByRole('link', { name: 'Approvals 2 waiting for you' }).waitFor()
  expect(await list.getByRole('listitem').first().textContent()).toContain('notes.md')
  await list.locator('ins').getByText('Bring the letters.').waitFor()

  // Decisions by others and server errors move no button under the pointer.
  const first = list.getByRole('button', { name: 'Allow once' }).first()
  const room = await first.boundingBox()
  await page.route('**/v1/approvals', (route) => route.abort())
  await page.getByRole('alert').waitFor()
  expect(await first.boundingBox()).toEqual(room)
  await page.unroute('**/v1/approvals')
  await createSession('Write elsewhere.md: Nothing.')
  await list.getByText('elsewhere.md', { exact: true }).first().waitFor()
  const before = await createSession('Write last.md: The end.')
  await list.getByText('last.md', { exact: true }).first().waitFor()
  const last = list.getByRole('button', { name: 'Allow once' }).last()
  const roomOfLast = await last.boundingBox()
  const { items } = (await call('GET', '/approvals')) as unknown as PendingApprovals
  await allowCall(items.at(-2)?.sessionId ?? '')
  await list.getByText('Decided elsewhere').waitFor()
  expect(await last.boundingBox()).toEqual(roomOfLast)
  await allowCall(before)
  await list.getByText('last.md', { exact: true }).first().waitFor({ state: 'detached' })
  expect(await first.boundingBox()).toEqual(room)

  await page.keyboard.press('j')
  await page.locator('li[data-row]:focus').getByText('notes.md', { exact: true }).first().waitFor()
  await page.keyboard.press('Tab')
  await page.getByRole('button', { name: 'Allow once' }).first().press('Enter')
  await page.locator('li[data-row]:focus').getByText('plan.md', { exact: true }).first().waitFor()
  await page.getByRole('button', { name: 'Refuse' }).click()
  await page.getByText('Nothing is waiting for you').waitFor()
  expect(complaints.filter((one) => !one.includes('ERR_FAILED'))).toEqual([])
})

test('sessions are found by words, by filters in the address, and by keys', async () => {
  await createSession('Where is the temple in Kyōto?')
  const over = await createSession('Good bye')
  await call('POST', `/sessions/${over}/end`)
  const { page } = await signIn(server, '/sessions')
  const found = page.getByRole('list', { name: 'Sessions found' })
  await found.getByText('Good bye').waitFor()
  await page.getByLabel('Search', { exact: true }).fill('kyōto')
  await found.getByText('Good bye').waitFor({ state: 'detached' })
  await found.getByText('Where is the temple in Kyōto?').waitFor()
  expect(new URL(page.url()).searchParams.get('search')).toBe('kyōto')
  await page.reload()
  await found.getByText('Where is the temple in Kyōto?').waitFor()
  expect(await found.getByRole('listitem').count()).toBe(1)
  await page.getByLabel('Status').selectOption('Ended')
  await page.getByText('No results').waitFor()
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await page.getByLabel('Status').selectOption('Ended')
  await found.getByText('Where is the temple').waitFor({ state: 'detached' })
  await page.keyboard.press('Escape')
  await page.locator('h1').click()
  await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  await page.getByText('This session has ended.').waitFor()
})

test('a session is shown as transcript, events, replay and workflow, and forked', async () => {
  const sessionId = await createSession('Write a.md: One', 'allow')
  const { page, complaints } = await signIn(server, `/sessions/${sessionId}`)
  const log = page.getByRole('log')
  await log.getByText('It is done.').waitFor()
  await log.getByText(/echo · .* · \$0\.\d+/).waitFor()
  await log.getByText(/Tool write_file a\.md: done · \d/).click()
  await log.getByText('Allowed by a person.').waitFor()

  await openView(page, 'Events')
  await page.getByText(/\d+ events, live/).waitFor()
  const events = page.getByRole('list', { name: 'Events' })
  await events.getByText('agent:approval_requested').waitFor()
  await page.getByLabel('Show').selectOption('agent:tool_decided')
  await page.getByText('1 event, live').waitFor()
  await events.getByText('write_file allowed by person').click()
  await events.getByText('"verdict": "allowed"').waitFor()

  await openView(page, 'Replay')
  await page.getByText('Start of the session.').waitFor()
  await page.getByRole('button', { name: 'Next event' }).click()
  await page.getByRole('button', { name: 'Next event' }).click()
  await log.getByText('Write a.md: One').waitFor()
  expect(await log.getByText('It is done.').count()).toBe(0)
  await page.getByRole('button', { name: 'Max' }).click()
  await page.getByRole('button', { name: 'Play' }).click()
  await log.getByText('It is done.').waitFor()
  await page.waitForURL(/at=\d{2}/)
  await page.reload()
  await log.getByText('It is done.').waitFor()

  await openView(page, 'Export')
  await page.locator('.react-flow__node').getByText('turn-1').waitFor()
  await page.getByText('4 nodes, as a list').or(page.getByText('3 nodes, as a list')).click()
  await page
    .getByRole('list', { name: 'Nodes' })
    .getByRole('button', { name: /^turn-1/ })
    .click()
  await page
    .getByRole('group', { name: /relavium\.yaml$/ })
    .getByText('schema_version')
    .waitFor()
  const saved = page.waitForEvent('download')
  await page.getByRole('link', { name: /^Download/ }).click()
  expect((await saved).suggestedFilename()).toMatch(/\.relavium\.yaml$/)

  await page.getByRole('button', { name: 'More for this session' }).click()
  await page.getByRole('button', { name: 'Fork' }).click()
  await page.waitForURL(
    (url) => !url.pathname.includes(sessionId) && url.pathname.startsWith('/sessions/ses_'),
  )
  await log.getByText('It is done.').waitFor()
  expect(complaints).toEqual([])
})

test('a session of hundreds of messages loads earlier ones on scrolling, and can be searched', async () => {
  const sessionId = await createSession(...Array.from({ length: 130 }, (_, n) => `Message number ${n + 1}`))
  const { page } = await signIn(server, `/sessions/${sessionId}`)
  const log = page.getByRole('log')
  await log.getByText('You said: Message number 130').waitFor()
  expect(await log.getByRole('article').count()).toBeLessThan(60)
  await page.getByRole('link', { name: 'Find in this session' }).click()
  await page.getByRole('searchbox', { name: 'Find in this session' }).fill('number 17')
  await page.keyboard.press('Enter')
  await log.getByText('You said: Message number 17').waitFor()
  await page.getByRole('search', { name: 'Find in this session' }).getByText('1 of 1').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Jump to latest' }).click()
  await log.getByText('You said: Message number 130').waitFor()
  await log.focus()
  const isAtFirst = async () => {
    await page.keyboard.press('Home')
    return log.getByText('You said: Message number 1', { exact: true }).isVisible()
  }
  await expect.poll(isAtFirst, { timeout: 20_000 }).toBe(true)
  await typeMessage(page, 'Message number 131')
  await log.getByText('You said: Message number 131').waitFor()
  expect(await measureDistanceToEnd(page)).toBeLessThanOrEqual(2)
})

test('the end of a long session stays visible on a slow phone while messages are sent quickly', async () => {
  const words = 'Nobody answers a long question in a short sentence, and so this one goes on. '
  const sessionId = await createSession('Hello')
  const { page } = await signIn(server, `/sessions/${sessionId}`, { viewport: { width: 390, height: 700 } })
  const slow = await page.context().newCDPSession(page)
  await slow.send('Emulation.setCPUThrottlingRate', { rate: 4 })
  const log = page.getByRole('log')
  for (let n = 1; n <= 20; n += 1) {
    await typeMessage(page, `Message number ${n}. ${words.repeat(n % 5)}`)
    await log.getByText(`You said: Message number ${n}.`).waitFor({ timeout: 20_000 })
    await page.getByRole('button', { name: 'Send', exact: true }).waitFor()
  }
  await expect.poll(() => measureDistanceToEnd(page)).toBeLessThanOrEqual(2)
  expect(await page.getByRole('button', { name: 'Jump to latest' }).count()).toBe(0)
})

test('all views fit a phone, also with a long session title', async () => {
  const sessionId = await createSession(`Hello${'o'.repeat(150)}`)
  const { page } = await signIn(server, `/sessions/${sessionId}`, { viewport: { width: 390, height: 844 } })
  for (const name of ['Events', 'Replay', 'Export', 'Transcript']) {
    await openView(page, name)
    await page.locator('nav a[aria-current="page"]').getByText(name, { exact: true }).waitFor()
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390)
  }
  for (const path of ['/sessions', '/approvals', '/']) {
    await page.goto(`${server.ready.url}${path}`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    if (path !== '/approvals')
      await page
        .getByRole('main')
        .getByText(/^Hellooo/)
        .first()
        .waitFor()
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390)
  }
})

test('[X2] the console works without a network, since the server may be on the same machine', async () => {
  await createSession('Without a network')
  const { page } = await signIn(server, '/health')
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.evaluate("window.dispatchEvent(new Event('offline'))")
  await page.getByRole('link', { name: 'Sessions', exact: true }).first().click()
  const found = page.getByRole('list', { name: 'Sessions found' })
  await expect.poll(() => found.getByText('Without a network').count(), { timeout: 20_000 }).toBe(1)
})

test('a page whose code fails to load keeps the frame and offers a reload', async () => {
  const { page } = await signIn(server, '/')
  await page.route(/\/assets\/health-page-/, (route) =>
    route.fulfill({ contentType: 'text/javascript', body: "throw new Error('made up')" }),
  )
  const health = page.getByRole('link', { name: 'Health' }).first()
  await health.click()
  await page.getByText('This page could not be shown.').waitFor()
  expect(await health.isVisible()).toBe(true)
  await page.unrouteAll()
  await page.getByRole('button', { name: 'Reload the page' }).click()
  await page.getByRole('heading', { level: 1, name: 'Health' }).waitFor()
})

test('drafts survive signing in again, stay private to their author, and nobody is signed out offline', async () => {
  const sessionId = await createSession('Hello')
  const { page } = await signIn(server, `/sessions/${sessionId}`)
  const context = page.context()
  const box = page.getByRole('textbox', { name: 'Message' })
  await box.fill('Half a thought')

  await context.setOffline(true)
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByText('You are still signed in.').waitFor()
  await context.setOffline(false)

  await context.clearCookies()
  await page.reload()
  await page.getByLabel('Token').fill(server.ready.token)
  await page.keyboard.press('Enter')
  await expect.poll(() => box.inputValue(), { timeout: 20_000 }).toBe('Half a thought')

  const { token } = await call('POST', '/tokens', { label: 'Grace', role: 'admin' })
  await context.clearCookies()
  await page.reload()
  await page.getByLabel('Token').fill(token ?? '')
  await page.keyboard.press('Enter')
  await page.getByText('Grace').first().waitFor()
  await expect.poll(() => box.inputValue(), { timeout: 20_000 }).toBe('')
})

test('a sign-in link of another person asks before switching, and each keeps their drafts', async () => {
  const sessionId = await createSession('Hello')
  const { page } = await signIn(server, `/sessions/${sessionId}`)
  const box = page.getByRole('textbox', { name: 'Message' })
  await box.fill('Half a thought')
  const { label = '' } = await call('GET', '/me')
  const { token } = await call('POST', '/tokens', { label: 'Heidi', role: 'admin' })

  const dialog = page.getByRole('dialog', { name: 'Switch account?' })
  await page.keyboard.press('ControlOrMeta+k')
  await page.getByRole('dialog', { name: 'Find anything' }).waitFor()
  await page.evaluate(`location.hash = 'token=${token}'`)
  await dialog.getByText(`You are signed in as ${label}. Switch to Heidi?`).waitFor()
  expect(page.url()).not.toContain('token')
  await page.locator('button:focus').getByText(`Stay signed in as ${label}`).waitFor()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await page.keyboard.press('Escape')
  expect(await box.inputValue()).toBe('Half a thought')

  const other = await page.context().newPage()
  const askedThere = other.getByRole('dialog', { name: 'Switch account?' })
  await other.goto(`${server.ready.url}/#token=${token}`)
  await other.locator('button:focus').getByText(`Stay signed in as ${label}`).press('Enter')
  await other.getByTitle(`${label} (owner)`).first().waitFor()
  expect(other.url()).not.toContain('token')
  expect(await page.getByTitle(`${label} (owner)`).count()).toBe(1)

  await other.goto(`${server.ready.url}/sessions#token=made-up`)
  const dead = other.getByRole('dialog', { name: 'This link does not work' })
  await dead.getByText(`You are still signed in as ${label}.`).waitFor()
  await dead.getByRole('button', { name: `Stay signed in as ${label}` }).click()
  await other.getByTitle(`${label} (owner)`).first().waitFor()

  await other.goto(`${server.ready.url}/#token=${token}`)
  await askedThere.getByRole('button', { name: 'Switch to Heidi' }).click()
  for (const one of [other, page]) await one.getByTitle('Heidi (admin)').first().waitFor()
  await expect.poll(() => box.inputValue(), { timeout: 20_000 }).toBe('')
  await other.goto(`${server.ready.url}/sessions#token=${token}`)
  await other.getByRole('heading', { level: 1, name: 'Sessions' }).waitFor()
  expect(await askedThere.count()).toBe(0)

  await other.goto(`${server.ready.url}/#token=${server.ready.token}`)
  await askedThere.getByRole('button', { name: `Switch to ${label}` }).click()
  await expect.poll(() => box.inputValue(), { timeout: 20_000 }).toBe('Half a thought')
})

/** The distance of the transcript from its end, in pixels. */
const measureDistanceToEnd = (page: Page) =>
  page.getByRole('log').evaluate((log) => log.scrollHeight - log.scrollTop - log.clientHeight)

async function typeMessage(page: Page, text: string) {
  await page.getByRole('textbox', { name: 'Message' }).fill(text)
  await page.keyboard.press('Enter')
}

const openView = (page: Page, name: string) =>
  page
    .getByRole('navigation', { name: 'Views of the session' })
    .getByRole('link', { name, exact: true })
    .click()

/** Starts a session with these messages, and waits for each answer or pending call. */
async function createSession(...said: readonly string[]): Promise<string> {
  const { sessionId = '' } = await call('POST', '/sessions', { channel: 'text' })
  for (const text of said) {
    if (text === 'allow') await allowCall(sessionId)
    else await call('POST', `/sessions/${sessionId}/messages`, { text })
    await expect.poll(() => readTurnState(sessionId), { timeout: 20_000, interval: 20 }).not.toBe('running')
  }
  return sessionId
}

async function allowCall(sessionId: string) {
  const { items } = (await call('GET', '/approvals')) as unknown as PendingApprovals
  const callId = items.find((one) => one.sessionId === sessionId)?.callId
  await call('POST', `/sessions/${sessionId}/approvals/${callId}`, { decision: 'allow' })
}

interface PendingApprovals {
  readonly items: readonly { readonly sessionId: string; readonly callId: string }[]
}

async function readTurnState(sessionId: string): Promise<string> {
  const { openTurn } = (await call('GET', `/sessions/${sessionId}`)) as { openTurn?: { state: string } }
  return openTurn?.state ?? 'idle'
}

const call = async (...request: Parameters<ConsoleServer['call']>) =>
  (await server.call(...request)) as Record<string, string>
