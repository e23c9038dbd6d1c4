import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { newContext } from '../support/console-server.ts'
import { openBrowser, sharedBrowser } from '../support/open-browser.ts'
import { type TalkingServer, startTalkingServer } from './talking-server.ts'

let server: TalkingServer
beforeAll(async () => {
  server = await startTalkingServer()
})
afterAll(() => server?.close())

const PHONE = { width: 390, height: 844 }

test('[V8] a voice call of a member: speech, answer, citation, typing, summary, continued in text', async () => {
  const { page, complaints } = await server.page()
  await server.talk(page)
  await page.getByRole('button', { name: 'Talk', exact: true }).click()
  await waitUntilLive(page)
  await askByVoice(page)
  await page
    .getByText(/Source .*Garden notes/)
    .first()
    .click()
  await page.getByText('Permissions').click()
  await page.getByText('Members: private facts may be used').waitFor()
  // Speech over the answer is not heard.
  await page.getByText('Muted').waitFor()

  await page.getByRole('button', { name: 'Type' }).click()
  await typeMessage(page, 'What is your boat called?')
  await waitForAnswer(page, /Kettlewick/)
  await page.getByRole('button', { name: 'End', exact: true }).click()
  await waitForFocus(page, 'You ended the call')
  const summary = page.getByRole('region', { name: 'Summary' })
  await summary.getByText(/Garden notes/).waitFor()
  await summary.getByText('Saved, and used for learning after it ends').first().waitFor()
  await summary.getByRole('link', { name: 'Open session' }).waitFor()
  await summary.getByRole('button', { name: 'Continue in text' }).click()
  await page
    .locator('[data-role="user"]')
    .getByText(/pear tree/i)
    .first()
    .waitFor()
  await page
    .getByText(/Source .*Garden notes/)
    .first()
    .waitFor()
  await typeMessage(page, 'Where do you live?')
  await waitForAnswer(page, /Kent/)
  await page.reload()
  await waitForAnswer(page, /Kent/)

  await page
    .getByText(/Source .*Garden notes/)
    .first()
    .click()
  // In a new tab: the conversation continues.
  const beside = page.context().waitForEvent('page')
  await page.getByRole('link', { name: 'Garden notes' }).first().click()
  await (await beside).waitForURL(/\/sources\/src_\w+\?start=/)
  expect(complaints).toEqual([])
})

test('a lost connection is restored automatically, then by a button; a reload loses nothing', async () => {
  const { page } = await server.page({ viewport: PHONE })
  await server.faults({ match: 'conversation', dropSocketAfterMs: 300, times: 2 })
  await server.talk(page)
  await page.getByRole('button', { name: 'Talk', exact: true }).click()
  await page.getByText('Disconnected. The conversation is still open.').waitFor()
  await server.faults()
  await page.getByRole('button', { name: 'Reconnect' }).click()
  await waitUntilLive(page)
  const address = page.url()
  await page.reload()
  await page.getByRole('button', { name: /^Reconnect/ }).waitFor()
  expect(page.url()).toBe(address)
  expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(PHONE.width)
  await page.getByRole('button', { name: /^Reconnect/ }).click()
  await waitUntilLive(page)
  await page.getByRole('button', { name: 'End', exact: true }).click()
  await page.getByRole('region', { name: 'Summary' }).waitFor()
})

test('leaving a running call needs a confirmation; other windows show that it runs', async () => {
  const { page, complaints } = await server.page({ viewport: PHONE })
  await server.talk(page)
  await page.getByRole('button', { name: 'Talk', exact: true }).press('Enter')
  await expect.poll(() => readFocusedAttribute(page, 'role')).toBe('log')
  await page.keyboard.press('Enter')
  await waitUntilLive(page)
  expect(await readFocusedAttribute(page, 'aria-live')).toBe('off')

  const sessionId = new URL(page.url()).searchParams.get('session') ?? ''
  const other = await page.context().newPage()
  await other.goto(`${server.url}/sessions/${sessionId}`)
  await other.getByText('A call is running or just ended.').waitFor()
  await other.getByText('This is a voice call.').waitFor()
  await other.close()

  const dialog = page.getByRole('dialog', { name: 'Leave the call?' })
  await page.goBack()
  await dialog.waitFor()
  await waitForFocus(page, 'Stay in the call')
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  expect(page.url()).toContain(sessionId)
  await waitUntilLive(page)

  await page.getByRole('button', { name: 'Menu' }).first().click()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await dialog.getByText('Signing out ends the call.').waitFor()
  await waitForFocus(page, 'Stay in the call')
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await page.keyboard.press('ControlOrMeta+k')
  await page.keyboard.type('sign out')
  await page.keyboard.press('Enter')
  await dialog.getByRole('button', { name: 'Stay in the call' }).click()
  await dialog.waitFor({ state: 'detached' })
  await waitUntilLive(page)

  const closing = page.waitForEvent('dialog')
  await Promise.all([closing.then((prompt) => prompt.dismiss()), page.close({ runBeforeUnload: true })])
  expect((await closing).type()).toBe('beforeunload')
  await waitUntilLive(page)

  await askByVoice(page)
  await page.getByRole('button', { name: 'Type' }).click()
  await typeMessage(page, 'What is your boat called?')
  await waitForAnswer(page, /Kettlewick/)
  await page.getByText(/Source .*Diary/).waitFor()
  await page.setViewportSize({ width: PHONE.width, height: 600 })
  await page.getByText('Permissions').click()
  const end = await measureBottom(page.getByRole('log'))
  await expect.poll(() => measureBottom(page.locator('details[open] dd').last())).toBeLessThanOrEqual(end)
  await page.getByRole('link', { name: 'Facts', exact: true }).click()
  await dialog.getByRole('button', { name: 'End the call and leave' }).click()
  await page.waitForURL(/\/facts/)
  await page.goto(`${server.url}/sessions/${sessionId}/events`)
  await page.getByRole('list', { name: 'Events' }).getByText('What is your boat called?').first().waitFor()
  await page.goto(`${server.url}/sessions/${sessionId}/replay?speed=max`)
  await page.getByRole('button', { name: 'Play', exact: true }).click()
  await page.locator('[data-role="user"]').getByText('What is your boat called?').waitFor()

  await server.talk(page)
  await page.getByRole('button', { name: 'Talk', exact: true }).click()
  await waitUntilLive(page)
  await page.getByRole('button', { name: 'Menu' }).first().click()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await dialog.getByRole('button', { name: 'End the call and leave' }).click()
  await page.getByRole('button', { name: 'Sign in' }).waitFor()
  expect(complaints).toEqual([])
})

test('a denied or missing microphone is reported, and the person can type instead', async () => {
  const denying = openBrowser('--use-fake-device-for-media-stream', '--use-fake-ui-for-media-stream=deny')
  onTestFinished(async () => (await denying).close())
  const { page } = await server.page({}, (given) => newContext(denying, given))
  await server.talk(page)
  await page.getByRole('button', { name: 'Talk', exact: true }).click()
  await waitForProblem(page, 'microphone-denied')
  expect(page.url()).not.toContain('session=')
  await page.getByRole('button', { name: 'Type instead' }).click()
  await typeMessage(page, 'Where do you live?')
  await waitForAnswer(page, /Kent/)
  await page.getByText(/Source .*Garden notes/).waitFor()

  // The shared browser has no microphone.
  const { page: other } = await server.page({}, (given) => newContext(sharedBrowser(), given))
  await server.talk(other)
  await other.getByRole('button', { name: 'Talk', exact: true }).click()
  await waitForProblem(other, 'microphone-missing')
})

test('[V11] without a voice a conversation is typed, and an interview is still spoken', async () => {
  const { page } = await server.page()
  await server.faults({ match: '* *', status: 503 })
  await server.talk(page)
  await page.getByRole('button', { name: 'Talk', exact: true }).click()
  await waitForProblem(page, 'provider-unavailable')
  await server.faults()
  await server.call('PATCH', server.at, { voice: null })
  await page.locator('[data-problem]').getByRole('button', { name: 'Try again' }).click()
  await waitForProblem(page, 'voice-missing')
  await page.getByText('no voice is chosen').waitFor()
  const { page: owner } = await server.page()
  await server.talk(owner)
  await owner.getByText('Voice calls are unavailable: no voice is chosen.').waitFor()
  await owner.getByRole('link', { name: 'Choose a voice' }).waitFor()
  expect(await owner.getByRole('button', { name: 'Talk', exact: true }).count()).toBe(0)
  const interview = owner.getByLabel('Be interviewed')
  const before = await interview.boundingBox()
  await interview.check()
  await owner.getByText(/Next questions:/).waitFor()
  expect(await interview.boundingBox()).toEqual(before)
  await owner.getByRole('button', { name: 'Talk', exact: true }).waitFor()
  await server.call('PATCH', server.at, { voice: { voiceId: 'slt', kind: 'stock' } })
  await page.getByRole('button', { name: 'Type instead' }).click()
  await page.getByRole('textbox', { name: 'Message' }).waitFor()
  expect(page.url()).toContain('session=')
})

test('the error stays while the server is down, the conversation resumes, and an end appears in the other window', async () => {
  const { page } = await server.page()
  await server.talk(page)
  let requests = 0
  await page.route(/\/v1\/sessions/, (route) => {
    requests += 1
    return route.abort()
  })
  await page.getByRole('button', { name: 'Type instead' }).click()
  await waitForProblem(page, 'unreachable')
  await checkFocusDuringRetries(page, () => requests)
  await page.unroute(/\/v1\/sessions/)
  await typeMessage(page, 'Where do you live?')
  await waitForAnswer(page, /Kent/)

  await page.route(/\/v1\/sessions/, (route) => {
    requests += 1
    return route.abort()
  })
  await page.reload()
  await waitForProblem(page, 'unreachable')
  await checkFocusDuringRetries(page, () => requests)
  await page.unroute(/\/v1\/sessions/)
  await waitForAnswer(page, /Kent/)

  const other = await page.context().newPage()
  await other.goto(page.url())
  await other.getByRole('button', { name: 'End', exact: true }).click()
  await other.getByRole('region', { name: 'Summary' }).waitFor()
  await page.getByRole('region', { name: 'Summary' }).waitFor()
  expect(await page.getByRole('textbox', { name: 'Message' }).count()).toBe(0)
})

test('[A3] an admin can read the call of another person but not take it over', async () => {
  const { page } = await server.page()
  await server.talk(page)
  const { sessionId } = await server.callOfAnother()
  await page.goto(`${server.url}${server.at}/talk?session=${sessionId}`)
  await page.getByText('A call is running or just ended.').waitFor()
  await page.getByText('Read-only').waitFor()
  expect(await page.getByRole('button', { name: /^Reconnect/ }).count()).toBe(0)
  expect(await page.getByRole('textbox', { name: 'Message' }).count()).toBe(0)
})

test('[V5] off the record nothing is stored, and an interview lists its topics', async () => {
  const { page } = await server.page()
  await server.talk(page)
  await page.getByLabel('Be interviewed').check()
  await page.getByText(/Next questions:/).waitFor()
  await page.getByLabel('Be interviewed').uncheck()
  await page.getByLabel('Off the record').check()
  await page.getByRole('button', { name: 'Type instead' }).click()
  const mark = page.getByRole('note').getByText('Off the record.')
  await mark.waitFor()
  await typeMessage(page, 'What is your boat called?')
  await waitForAnswer(page, /Kettlewick/)
  await page.getByText('Source Diary').waitFor()
  await page.getByText('Permissions').click()
  await page.getByText('Off the record: nothing is saved').waitFor()
  await mark.waitFor()
  expect(await page.evaluate<string>('JSON.stringify({ ...localStorage })')).not.toContain('boat')
  await page.getByRole('button', { name: 'End', exact: true }).click()
  await page.getByRole('region', { name: 'Summary' }).getByText('Off the record').waitFor()
  await waitForFocus(page, 'The conversation has ended')
})

test('[P5] a visitor talks with the public facts, by text and voice, and a reload resumes', async () => {
  const { page, complaints } = await server.page({ viewport: PHONE })
  await page.goto(`${server.url}/r/${server.link}`)
  await page.getByText('Saved, not used for learning.').waitFor()
  await server.call('PATCH', server.at, { shareIngestion: true })
  await page.reload()
  await page.getByText('Saved, and used for learning after it ends.').waitFor()
  await server.call('PATCH', server.at, { shareIngestion: false })
  await page.getByRole('button', { name: 'Type instead' }).click()
  await typeMessage(page, 'Who planted the pear tree?')
  await waitForAnswer(page, /Runa/)
  await page.getByText('Source Garden notes').click()
  await page.getByText('Members can open the full source.').waitFor()
  expect(await page.getByRole('link').count()).toBe(0)
  await typeMessage(page, 'What is your boat called?')
  await expect.poll(() => page.locator('[data-role="assistant"][aria-busy="false"]').count()).toBe(2)
  await page.getByText(/^(Found, not used|No matching source found)/).waitFor()
  expect(await page.getByText(/^Source /).count()).toBe(1)
  await page.reload()
  await waitForAnswer(page, /Runa/)
  expect(await page.textContent('body')).not.toContain('Kettlewick')
  await page.getByText('Permissions').click()
  await page.getByText('Public: only published facts are used').waitFor()
  expect(await page.getByText('diary').count()).toBe(0)
  await page.getByRole('button', { name: 'Voice call' }).click()
  await waitUntilLive(page)
  await page.getByRole('button', { name: 'Type' }).click()
  await typeMessage(page, 'Who planted the pear tree?')
  await waitForAnswer(page, /Runa/)
  await waitUntilSpeaking(page)
  await page.getByText('Source Garden notes').first().waitFor()
  const [address, dialog] = [page.url(), page.getByRole('dialog', { name: 'Leave the call?' })]
  await page.goBack()
  await dialog.getByRole('button', { name: 'Stay in the call' }).click()
  await dialog.waitFor({ state: 'detached' })
  await waitUntilLive(page)
  expect(page.url()).toBe(address)
  await page.getByRole('button', { name: 'End', exact: true }).click()
  await page.getByRole('region', { name: 'Summary' }).getByText('Garden notes').waitFor()

  await page.getByRole('button', { name: 'New conversation' }).click()
  await page.getByRole('button', { name: 'Talk', exact: true }).click()
  await waitUntilLive(page)
  await page.goBack()
  await dialog.getByRole('button', { name: 'End the call and leave' }).click()
  await page.getByRole('button', { name: 'Talk', exact: true }).waitFor()
  expect(complaints).toEqual([])
})

test('[P6] an invalid link, a session ended by unpublishing, and a public agent that is not ready are reported', async () => {
  const { page } = await server.page()
  await page.goto(`${server.url}/r/shr_made-up`)
  await waitForProblem(page, 'link-invalid')

  await page.goto(`${server.url}/r/${(await server.share()).token}`)
  await page.getByRole('button', { name: 'Type instead' }).click()
  await typeMessage(page, 'Who planted the pear tree?')
  await waitForAnswer(page, /Runa/)
  await server.call('POST', `${server.at}/unpublish`, { namespaces: ['garden'] })
  await waitForProblem(page, 'ended')
  await page.getByText('no longer published').waitFor()
  expect(await page.textContent('body')).not.toContain('Runa')

  await page.goto(`${server.url}/r/${server.link}`)
  await waitForProblem(page, 'nothing-public')
  await server.call('POST', `${server.at}/publish`, { namespaces: ['garden'] })
  await page.getByRole('button', { name: 'Type instead' }).click()
  await page.getByRole('textbox', { name: 'Message' }).waitFor()
  // A visitor cannot read events after the end; the summary stays.
  const closed = page.waitForResponse((one) => one.url().includes('/events') && !one.ok())
  await page.getByRole('button', { name: 'End', exact: true }).click()
  await closed
  await page.getByRole('region', { name: 'Summary' }).waitFor()
  await page.getByRole('button', { name: 'New conversation' }).click()
  await page.getByRole('button', { name: 'Type instead' }).waitFor()
})

test('too many connections show a notice, and a revoked link ends the visit', async () => {
  const { page } = await server.page()
  const { id, token } = await server.share()
  await page.goto(`${server.url}/r/${token}`)
  await page.getByRole('button', { name: 'Talk', exact: true }).click()
  await waitUntilLive(page)
  const connects = `fetch('/v1' + new URL(location).searchParams.get('session').replace(/^/, '/sessions/') + '/reconnect', {
    method: 'POST', headers: { 'content-type': 'application/json', 'x-parley-as': 'visitor' }, body: '{}',
  }).then(({ status }) => status)`
  await expect.poll(() => page.evaluate<number>(connects)).toBe(429)
  await page.reload()
  await page.getByRole('button', { name: /^Reconnect/ }).click()
  await waitForProblem(page, 'rate-limited')
  await page.getByRole('button', { name: 'Start a new conversation' }).click()
  await page.getByRole('button', { name: 'Type instead' }).click()
  await page.getByRole('textbox', { name: 'Message' }).waitFor()
  await server.call('DELETE', `${server.at}/share-links/${id}`)
  await waitForProblem(page, 'gone')
  await page.reload()
  await waitForProblem(page, 'link-invalid')
})

test('[V17] a used-up link keeps its conversation after a reload and offers no new one', async () => {
  const { page } = await server.page()
  const { token } = await server.share({ maxUses: 1 })
  await page.goto(`${server.url}/r/${token}`)
  await page.getByRole('button', { name: 'Type instead' }).click()
  await typeMessage(page, 'Who planted the pear tree?')
  await waitForAnswer(page, /Runa/)
  await page.reload()
  await page.getByRole('heading', { name: 'Ada Winter' }).waitFor()
  await waitForAnswer(page, /Runa/)
  await typeMessage(page, 'Where do you live?')
  await waitForAnswer(page, /Kent/)
  await page.getByRole('button', { name: 'End', exact: true }).click()
  const summary = page.getByRole('region', { name: 'Summary' })
  await summary.getByText('Garden notes').waitFor()
  await expect.poll(() => summary.getByRole('button', { name: 'New conversation' }).count()).toBe(0)
})

test('an interviewer does not use the name of the person it interviews', async () => {
  const { page } = await server.page()
  await server.talk(page)
  await page.getByLabel('Be interviewed').check()
  await page.getByRole('button', { name: 'Type instead' }).click()
  await typeMessage(page, 'I am ready.')
  await page.getByRole('article', { name: 'Interviewer' }).first().waitFor()
  await page.reload()
  await page.getByRole('article', { name: 'Interviewer' }).first().waitFor()
  expect(await page.getByRole('article', { name: 'Ada Winter' }).count()).toBe(0)
})

async function waitForFocus(page: Page, name: string) {
  await expect.poll(() => page.evaluate<string>('document.activeElement.textContent')).toBe(name)
}

const readFocusedAttribute = (page: Page, attribute: string) =>
  page.evaluate<string | null>(`document.activeElement.getAttribute('${attribute}')`)

/** Retries run in the background: the focused button keeps its focus. */
async function checkFocusDuringRetries(page: Page, requests: () => number) {
  await page.locator('[data-problem]').getByRole('button', { name: 'Try again' }).focus()
  await page.evaluate(`document.querySelector('[data-problem]').dataset.same = 'yes'`)
  const before = requests()
  await expect.poll(requests).toBeGreaterThan(before + 1)
  expect(await page.locator('[data-problem][data-same]').count()).toBe(1)
  await waitForFocus(page, 'Try again')
}

const measureBottom = async (part: Locator) => {
  const { y, height } = (await part.boundingBox()) ?? { y: Infinity, height: 0 }
  return y + height
}

const waitUntilLive = (page: Page) => page.locator('[data-phase="live"]').waitFor()
const waitForProblem = (page: Page, kind: string) => page.locator(`[data-problem="${kind}"]`).waitFor()
const waitForAnswer = (page: Page, words: RegExp) =>
  page.locator('[data-role="assistant"]').getByText(words).filter({ visible: true }).first().waitFor()

/** Asks by microphone, then mutes: a second question would interrupt typing. */
async function askByVoice(page: Page) {
  await page
    .locator('[data-role="user"]')
    .getByText(/pear tree/i)
    .first()
    .waitFor()
  await page.getByRole('button', { name: 'Mute', pressed: false }).click()
  await page.getByRole('button', { name: 'Mute', pressed: true }).waitFor()
  await page.getByText('Muted').or(page.getByText('Speaking')).waitFor()
  await waitForAnswer(page, /Runa/)
  await waitUntilSpeaking(page)
}

/** Text arrives before sound: typing or hanging up earlier cuts an unheard answer. */
const waitUntilSpeaking = (page: Page) => page.getByText('Speaking').waitFor()

async function typeMessage(page: Page, text: string) {
  await page.getByRole('textbox', { name: 'Message' }).fill(text)
  await page.keyboard.press('Enter')
}
