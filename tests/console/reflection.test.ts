import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type ConsoleServer, openConsole } from '../support/console-server.ts'
import { dropFile, findImportedSource, openReflectionPart } from '../support/reflection-pages.ts'
import { signIn } from '../support/sign-in.ts'

let server: ConsoleServer
beforeAll(async () => {
  server = await openConsole()
})
afterAll(() => server?.close())

const LETTER = 'I have lived in Oslo since 2004. I work as a bookbinder.'
const LATER = 'I have lived in Tromsø since 2020.'

test('[K2] [V17] sources added anywhere are imported, quoted in place, shown with their history, and shared once public', async () => {
  const { id } = await call('POST', '/reflections', {
    displayName: 'Ada Marlow',
    creatorName: 'Ada Marlow',
  })
  const { page, complaints } = await signIn(server, `/reflections/${id}`)
  await page.getByRole('link', { name: 'Add the first source' }).waitFor()

  // Text pasted outside a field opens the paste form, on every page.
  await pasteText(page, LETTER)
  await page.getByLabel('Title').fill('Letter from Oslo')
  expect(await page.getByLabel('Text', { exact: true }).inputValue()).toBe(LETTER)
  expect(await page.evaluate<string>('JSON.stringify(localStorage)')).not.toContain(LETTER)
  await page.getByRole('button', { name: /^Add to/ }).click()
  await findImportedSource(page, 'Letter from Oslo').waitFor()
  await openReflectionPart(page, 'Facts')
  // An upload continues while other pages are open, and the window asks before it closes.
  const sending = Promise.withResolvers<void>()
  await page.route('**/v1/reflections/*/sources', async (route) => {
    if (route.request().method() === 'POST') await sending.promise
    await route.continue()
  })
  await dropFile(page, 'later.md', LATER)
  await page.getByRole('link', { name: 'Home' }).first().click()
  await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor()
  await page.goBack()
  await page.getByText('later.md').first().waitFor()
  const mayClose = "window.dispatchEvent(new Event('beforeunload', { cancelable: true }))"
  expect(await page.evaluate<boolean>(mayClose)).toBe(false)
  sending.resolve()
  await findImportedSource(page, 'later.md').waitFor()

  await openReflectionPart(page, 'Facts')
  const facts = page.getByRole('list', { name: 'Facts' })
  const tromso = facts.getByRole('listitem').filter({ hasText: 'Tromsø since 2020' })
  await tromso.getByRole('button', { name: /^History of/ }).click()
  const history = tromso.getByRole('list', { name: /^History of/ })
  await expect
    .poll(() => history.getByRole('listitem').allTextContents())
    .toEqual([
      expect.stringMatching(/Oslo since 2004.*from 2004.* until 2020.*Letter from Oslo/s),
      expect.stringMatching(/Tromsø since 2020.*later\.md/s),
    ])

  await page.getByLabel('Search facts').fill('bookbinder')
  await page.getByText('1 fact', { exact: true }).waitFor()
  await page.getByLabel('Order').selectOption('time')
  await page.waitForURL(/order=time&search=bookbinder|search=bookbinder&order=time/)
  await page.reload()
  await page.getByText('1 fact', { exact: true }).waitFor()

  await facts.getByRole('link', { name: 'Letter from Oslo' }).click()
  await expect.poll(() => page.locator('mark').textContent()).toBe('I work as a bookbinder.')
  await page.getByRole('list', { name: 'Facts from this source' }).getByText('bookbinder').waitFor()

  // A long source can be read from any position, though only its visible part is rendered.
  const pages = Array.from({ length: 160 }, (_, at) => `Page ${at + 1} of it. ${'It rained. '.repeat(85)}`)
  await call('POST', `/reflections/${id}/sources`, {
    title: 'A long diary',
    namespace: 'general',
    text: pages.join('\n\n'),
  })
  await openReflectionPart(page, 'Sources')
  await findImportedSource(page, 'A long diary').getByRole('link', { name: 'A long diary' }).click()
  await page.getByText('Page 1 of it.').waitFor()
  const measureScroll = async () => {
    await page.evaluate(`document.querySelector('[data-scrolls]').scrollTo(0, 1e9)`)
    return page.getByText('Page 160 of it.').count()
  }
  await expect.poll(measureScroll, { timeout: 30_000 }).toBe(1)
  expect(await page.getByText(/Page \d+ of it\./).count()).toBeLessThan(60)

  await openReflectionPart(page, 'Share')
  await page.getByText('Nothing is public yet').waitFor()
  await openReflectionPart(page, 'Overview')
  await page.getByRole('button', { name: 'Publish general' }).click()
  const question = page.getByRole('group', { name: 'Publish general' })
  const known = question.getByRole('list', { name: 'The public agent’s summary' })
  await known.locator('ins').filter({ hasText: 'Tromsø' }).waitFor()
  expect(await known.getByText('Oslo').count()).toBe(0)
  await question.getByText('No share links include it. No visitor is talking now.').waitFor()
  await question.getByRole('button', { name: 'Make it public' }).click()
  await page.getByRole('button', { name: 'Unpublish general' }).waitFor()

  await openReflectionPart(page, 'Share')
  await page.getByLabel('Maximum uses').fill('0')
  await page.getByRole('button', { name: 'Create link' }).click()
  await page.getByText(/whole number from 1/).waitFor()
  await page.getByLabel('Maximum uses').fill('2')
  await page.getByRole('button', { name: 'Create link' }).click()
  const url = await page.getByLabel(/Copy this link now/).inputValue()
  expect(url).toMatch(/\/r\/shr_/)
  const row = page.getByRole('list', { name: 'Links' }).getByRole('listitem')
  await row.getByText('0 of 2 used').waitFor()
  await page.reload()
  await row.getByText('Active').waitFor()
  expect(await page.content()).not.toContain('shr_')
  await row.getByRole('button', { name: /^Revoke/ }).click()
  await page.getByRole('button', { name: 'Revoke permanently' }).click()
  await page.locator('li[data-status="revoked"]').waitFor()
  expect((await fetch(url.replace('/r/', '/v1/r/'))).status).toBe(404)
  expect(complaints).toEqual([])
})

test('[P11] changes during the preview are shown, and only the previewed content is published', async () => {
  const { id } = await call('POST', '/reflections', { displayName: 'Ada Marlow' })
  await importSource(id, 'Letter', LETTER)
  const { page } = await signIn(server, `/reflections/${id}`)
  await page.getByRole('button', { name: 'Publish general' }).click()
  const question = page.getByRole('group', { name: 'Publish general' })
  const read = question.getByRole('list', { name: 'Sources in general' })
  const since = question.getByRole('list', { name: 'Changes since you opened this' })
  const yes = question.getByRole('button', { name: 'Make it public' })
  await read.getByText('Letter').waitFor()

  await importSource(id, 'Postcard', 'I was born in Bergen.')
  await question.getByText('The content changed since you opened this').waitFor()
  await since.locator('ins').filter({ hasText: 'Source: Postcard' }).waitFor()
  await since.locator('ins').filter({ hasText: 'Bergen' }).waitFor()
  expect(await read.getByText('Postcard').count()).toBe(0)
  expect(await yes.getAttribute('aria-disabled')).toBe('true')
  await question.getByRole('button', { name: 'Reload' }).click()
  await read.getByText('Postcard').waitFor()
  expect(await since.count()).toBe(0)

  // The preview on the page is outdated while another source arrives.
  let isSlow = true
  let held: string | undefined
  await page.route('**/publish-preview', async (route) => {
    const response = await route.fetch()
    const body = await response.text()
    held ??= body
    await route.fulfill({ response, body: isSlow ? held : body })
  })
  await page.waitForResponse(/publish-preview/)
  await importSource(id, 'Note', 'I play the cello.')
  await yes.click()
  await question.getByText('The preview is out of date').waitFor()
  isSlow = false
  await question.getByText('Nothing was published: the content changed while you were reading').waitFor()
  expect((await call('GET', `/reflections/${id}`)).namespaces?.some((one) => one.isPublished)).toBe(false)
  await question.getByRole('button', { name: 'Reload' }).click()
  await read.getByText('Note').waitFor()
  await yes.click()
  await page.getByRole('button', { name: 'Unpublish general' }).waitFor()
})

test('[P11] the publish question shows the content before its buttons, in a low window too', async () => {
  const { id } = await call('POST', '/reflections', { displayName: 'Ada Marlow' })
  await importSource(id, 'Letter', LETTER)
  const { page } = await signIn(server, `/reflections/${id}`)
  const warning = page.getByText(/^Anyone who talks with this reflection can then hear/)
  const isInSight = async (height: number) => {
    const box = await warning.boundingBox()
    const top = await page.locator('[data-scrolls]').boundingBox()
    return box !== null && top !== null && box.y >= top.y && box.y + box.height <= height
  }
  const readFocus = () =>
    page.evaluate('document.activeElement.ariaLabel ?? document.activeElement.textContent')
  for (const [height, at] of [
    [420, 'Publish general'],
    [900, 'Keep it private'],
  ] as const) {
    await page.setViewportSize({ width: 1280, height })
    await page.getByRole('button', { name: 'Publish general' }).click()
    await warning.waitFor()
    expect(await isInSight(height)).toBe(true)
    expect(await readFocus()).toBe(at)
    await page.keyboard.press('Escape')
    await warning.waitFor({ state: 'detached' })
  }
})

test('[A2] [A3] a person is invited by a link, signs in with it, and leaves', async () => {
  const { id } = await call('POST', '/reflections', { displayName: 'Ada Marlow' })
  const { page, complaints } = await signIn(server, `/reflections/${id}/members`)
  await page.getByLabel('Display name').fill('Grace Hopper')
  await page.getByLabel('Role', { exact: true }).selectOption('operator')
  await page.getByText('Grace Hopper can read no folder: none is public').waitFor()
  const choice = page.getByRole('group', { name: 'Private folders that Grace Hopper can read' })
  await choice.getByRole('checkbox', { name: 'All of them' }).check()
  await page.getByText('Grace Hopper can read all folders, the private ones too').waitFor()
  await choice.getByRole('checkbox', { name: 'All of them' }).uncheck()
  await choice.getByRole('checkbox', { name: 'general' }).check()
  await page.getByRole('button', { name: 'Invite' }).click()
  const invitation = page.getByRole('region', { name: 'Invitation link' })
  await invitation.getByText('signs anyone in as Grace Hopper, with the role operator').waitFor()
  await invitation.getByText('Grace Hopper can read these private folders: general').waitFor()
  const url = await invitation.getByRole('textbox').inputValue()
  const members = page.getByRole('list', { name: 'Members' })
  const grace = members.getByRole('listitem').filter({ hasText: 'Grace Hopper' })
  await grace.waitFor()
  await grace.getByRole('button', { name: 'Folders that Grace Hopper can read' }).click()
  await grace.getByRole('checkbox', { name: 'conversations' }).check()
  await grace.getByRole('button', { name: 'Save', exact: true }).click()
  // The form shows the same text before it is saved.
  await grace.getByRole('form', { name: 'Folders that Grace Hopper can read' }).waitFor({ state: 'detached' })
  await grace.getByText('can read these private folders: conversations, general').waitFor()
  await call('PUT', `/reflections/${id}/members`, {
    personId: await grace.getByText(/^per_/).textContent(),
    role: 'operator',
    namespaces: ['general'],
  })

  const context = await server.newContext()
  const theirs = await context.newPage()
  await theirs.goto(url)
  await theirs.getByRole('link', { name: 'Sources' }).first().waitFor()
  expect(theirs.url()).toBe(`${server.ready.url}/reflections/${id}`)
  await theirs.getByText('Grace Hopper').waitFor()
  await theirs.getByText('You can read these private folders: general').waitFor()
  expect(await theirs.getByText('conversations', { exact: true }).count()).toBe(0)
  expect(await theirs.getByRole('link', { name: 'Members' }).count()).toBe(0)
  expect(await theirs.getByRole('button', { name: 'New session' }).count()).toBe(0)
  expect(await theirs.getByRole('link', { name: 'Approvals' }).count()).toBe(0)
  expect(await theirs.getByTitle('Grace Hopper', { exact: true }).count()).toBe(1)

  // A person who may read somebody else's conversation gets no actions of its owner.
  const token = new URL(url).hash.replace('#token=', '')
  const start = async () => (await call('POST', '/sessions', { reflectionId: id }, token)).sessionId
  const sessionId = await vi.waitUntil(start, { timeout: 30_000, interval: 500 })
  const { page: read } = await signIn(server, `/sessions/${sessionId}`)
  await read.getByText('Read-only: only the owner of this session can write.').waitFor()
  expect(await read.getByRole('textbox', { name: 'Message' }).count()).toBe(0)
  await read.getByRole('button', { name: 'More for this session' }).click()
  expect(await read.getByRole('button', { name: 'Rename' }).count()).toBe(0)
  await read.getByRole('link', { name: 'Ada Marlow' }).click()
  await read.waitForURL(`${server.ready.url}/reflections/${id}`)

  // A new link revokes the old one. With it, the member can leave.
  await page.reload()
  await grace.waitFor()
  expect(await page.content()).not.toContain('#token=')
  await grace.getByRole('button', { name: 'New link for Grace Hopper' }).click()
  await grace.getByRole('button', { name: 'Create new link' }).click()
  const renewed = await grace.getByRole('textbox', { name: /Copy this link/ }).inputValue()
  await theirs.reload()
  await theirs.getByLabel('Token').waitFor()
  await theirs.goto(renewed)
  await theirs.getByRole('button', { name: 'Leave this reflection' }).click()
  await theirs.getByRole('button', { name: 'Leave', exact: true }).click()
  await theirs.getByLabel('Token').waitFor()
  await page.reload()
  await page.getByText('Viewers can read and ask.').waitFor()
  expect(await grace.count()).toBe(0)
  expect(complaints).toEqual([])
})

test('[A2] the inviting admin can remove a member', async () => {
  const { id } = await call('POST', '/reflections', { displayName: 'Ada Marlow' })
  const { url } = await call('POST', `/reflections/${id}/invitations`, {
    label: 'Grace Hopper',
    role: 'viewer',
  })
  const context = await server.newContext()
  const theirs = await context.newPage()
  await theirs.goto(url ?? '')
  await theirs.getByText('Grace Hopper').waitFor()
  const { page, complaints } = await signIn(server, `/reflections/${id}/members`)
  const members = page.getByRole('list', { name: 'Members' })
  const grace = members.getByRole('listitem').filter({ hasText: 'Grace Hopper' })
  await grace.getByRole('button', { name: 'Remove Grace Hopper' }).click()
  expect(await page.content()).not.toContain('#token=')
  await grace.getByRole('button', { name: 'Remove', exact: true }).click()
  await expect.poll(() => grace.count()).toBe(0)
  await theirs.reload()
  await theirs.getByLabel('Token').waitFor()
  expect(complaints).toEqual([])
})

test('[V11] the owner chooses a stock voice, and the page names missing requirements', async () => {
  const { id } = await call('POST', '/reflections', { displayName: 'Voiced' })
  const { page } = await signIn(server, `/reflections/${id}/voice`)
  await page.getByText('Voice calls are not available yet: no voice is chosen.').waitFor()
  await page.getByLabel('Cloned voice').check()
  await page.getByLabel('Voice ID').fill('voice_of_ada')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('the person whose voice it is has not consented').waitFor()
  await page.getByRole('radio', { name: /^Slt/ }).check()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Voice ready: slt, a stock voice.').waitFor()
  await page.getByLabel('Learn from visitors').check()
  await expect.poll(async () => (await call('GET', `/reflections/${id}`)).shareIngestion).toBe(true)
})

test('[K3] waiting changes are decided by keyboard, one by one or all together', async () => {
  const { id } = await call('POST', '/reflections', { displayName: 'Ada Marlow', approval: 'by_person' })
  for (const [at, text] of [
    'I work as a bookbinder.',
    'I was born in Bergen.',
    'I live in Oslo.',
  ].entries()) {
    await call('POST', `/reflections/${id}/sources`, { title: `Note ${at}`, namespace: 'general', text })
  }
  const { page } = await signIn(server, `/reflections/${id}/patches`)
  const waiting = page.getByRole('list', { name: 'Waiting changes' }).locator('> li')
  await expect.poll(() => waiting.count(), { timeout: 60_000 }).toBe(3)
  await page.getByRole('link', { name: 'Review 3 waiting' }).waitFor()

  const viewer = { label: 'Vera', role: 'viewer', namespaces: ['general'] }
  const { url = '' } = await call('POST', `/reflections/${id}/invitations`, viewer)
  const token = new URL(url).hash.replace('#token=', '')
  const { page: theirs } = await signIn(server, `/reflections/${id}/patches`, { token: token })
  await theirs.getByText('Operators of this reflection approve or reject it').waitFor()
  await theirs.getByRole('list', { name: 'Waiting changes' }).getByText('Note 0').first().waitFor()
  await theirs.getByRole('link', { name: 'Review', exact: true }).waitFor()
  expect(await theirs.getByText('to approve').count()).toBe(0)
  await theirs.context().close()

  await waiting.first().focus()
  await page.keyboard.press('j')
  await page.keyboard.press('r')
  await expect.poll(() => waiting.count(), { timeout: 30_000 }).toBe(2)
  await page.getByRole('button', { name: 'Approve all 2' }).click()
  const question = page.getByRole('group', { name: 'Approve all' })
  const all = question.getByRole('button', { name: 'Approve all 2' })
  await question.getByText('Adds 2 facts. No problems found.').waitFor()
  // A change that arrives now is listed below, and is not included.
  const room = await waiting.first().boundingBox()
  const late = { title: 'Late note', namespace: 'general', text: 'I play the cello.' }
  await call('POST', `/reflections/${id}/sources`, late)
  await waiting.last().getByText('Late note').first().waitFor({ timeout: 60_000 })
  expect(await waiting.first().boundingBox()).toEqual(room)
  await all.click()
  await expect.poll(() => waiting.count(), { timeout: 30_000 }).toBe(1)
  await waiting.getByText('Late note').first().waitFor()
})

/** Pastes outside every field. */
const pasteText = (page: Page, text: string) =>
  page.evaluate(
    `(() => { const data = new DataTransfer(); data.setData('text/plain', ${JSON.stringify(text)}); document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true })) })()`,
  )

/** Adds a source and waits for its import. */
async function importSource(id: string, title: string, text: string) {
  await call('POST', `/reflections/${id}/sources`, { title, namespace: 'general', text })
  const readStates = async () =>
    (await call('GET', `/reflections/${id}/sources`)).items?.map(({ state }) => state)
  await expect
    .poll(async () => new Set(await readStates()), { timeout: 30_000 })
    .toEqual(new Set(['completed']))
}

interface ApiAnswer {
  readonly id: string
  readonly shareIngestion?: boolean
  readonly sessionId?: string
  readonly url?: string
  readonly namespaces?: readonly { readonly isPublished: boolean }[]
  readonly items?: readonly { readonly state: string }[]
}

const call = async (...request: Parameters<ConsoleServer['call']>) =>
  (await server.call(...request)) as ApiAnswer
