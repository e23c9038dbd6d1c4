import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ConsoleServer, openConsole } from './support/console-server.ts'
import { signIn } from './support/sign-in.ts'

let server: ConsoleServer
beforeAll(async () => {
  server = await openConsole()
})
afterAll(() => server?.close())

const LETTER = 'I have lived in Oslo since 2004. I work as a bookbinder. My sister is called Runa.'
const LATER = 'I have lived in Tromsø since 2020. I was born in Bergen.'

test('a reflection is made, learns while one looks on, is published, asked, corrected and removed', async () => {
  const { page, complaints } = await signIn(server)
  await page.getByRole('link', { name: 'Reflections' }).click()
  await page.getByText('No reflections yet').waitFor()
  await page.getByRole('button', { name: 'New reflection' }).click()
  await page.getByLabel('Display name').fill('Ada Marlow')
  await page.getByLabel('Creator’s name').fill('Ada Marlow')
  await page.getByRole('button', { name: 'Create' }).click()

  await page.getByText('No sources yet').waitFor()
  await paste(page, 'Letter from Oslo', LETTER)
  await learned(page, 'Letter from Oslo').getByText('Learned: 1 chunk').waitFor()

  await part(page, 'Facts')
  const oslo = page
    .getByRole('list', { name: 'Facts' })
    .getByRole('listitem')
    .filter({ hasText: 'in Oslo since 2004.' })
  await oslo.getByText('“I have lived in Oslo since 2004.”').waitFor()
  await oslo.getByText('Letter from Oslo').waitFor()
  await page.reload()
  await oslo.getByText('“I have lived in Oslo since 2004.”').waitFor()

  await part(page, 'Ask')
  await ask(page, 'Where does Ada live?', 'As the public sees it')
  await page.getByText('Nothing found').waitFor()

  await part(page, 'Overview')
  await page.getByLabel('Rules decide on what is said in sessions, too').check()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved.').waitFor()
  await page.reload()
  expect(await page.getByLabel('Rules decide on what is said in sessions, too').isChecked()).toBe(true)
  await page.getByRole('button', { name: 'Publish general' }).click()
  const question = page.getByRole('group', { name: 'Publish general' })
  await question.getByText(/told what stands in this source, word for word/).waitFor()
  const named = question.getByRole('list', { name: 'Sources in general' }).getByRole('listitem')
  expect(await named.allTextContents()).toEqual(['Letter from Oslo'])
  await question.getByRole('button', { name: 'Make it public' }).click()
  await page.getByRole('button', { name: 'Unpublish general' }).waitFor()

  await part(page, 'Ask')
  await ask(page, 'Where does Ada live?', 'As the public sees it')
  const evidence = page.getByRole('list', { name: 'Evidence' })
  await evidence.getByText('I have lived in Oslo since 2004.').first().waitFor()
  await page.getByText(/pieces? of evidence in \d+ ms/).waitFor()

  await part(page, 'Overview')
  await page.getByLabel('Facts count once a person has approved them').check()
  await page.getByRole('button', { name: 'Save' }).click()
  await part(page, 'Sources')
  await paste(page, 'Later letter', LATER)
  await learned(page, 'Later letter').getByRole('link', { name: 'Its facts wait for approval' }).click()
  const waiting = page.getByRole('list', { name: 'Waiting patches' })
  await waiting.getByText(/born in Bergen\.$/).waitFor()
  await waiting
    .locator('del')
    .getByText(/lives in Oslo since 2004\.$/)
    .waitFor()
  await waiting.getByRole('button', { name: 'Approve' }).click()
  await page.getByText('Nothing waits.').waitFor()
  await part(page, 'Facts')
  await page.getByText(/born in Bergen\.$/).waitFor()
  expect(await oslo.count()).toBe(0)
  await page.getByLabel('Show').selectOption('everything')
  await oslo.and(page.locator('li:has([data-state="superseded"])')).waitFor()

  await part(page, 'Sources')
  await page.getByRole('button', { name: 'Remove Letter from Oslo' }).click()
  await page.getByRole('button', { name: 'Remove for good' }).click()
  await page.getByText('Letter from Oslo').waitFor({ state: 'detached' })
  await part(page, 'Facts')
  await page.getByText(/born in Bergen\.$/).waitFor()
  expect(await page.getByText('“I have lived in Oslo since 2004.”').count()).toBe(0)

  await part(page, 'Overview')
  await page.getByRole('button', { name: 'Delete this reflection' }).click()
  const removal = page.getByRole('group', { name: 'Delete Ada Marlow' })
  await removal.getByLabel('Type “Ada Marlow”').fill('Ada')
  expect(await isOffered(removal.getByRole('button', { name: 'Delete for good' }))).toBe(false)
  await removal.getByLabel('Type “Ada Marlow”').fill('Ada Marlow')
  await removal.getByRole('button', { name: 'Delete for good' }).click()
  await page.getByText('No reflections yet').waitFor()
  expect(complaints).toEqual([])
})

test('files are dropped anywhere, and one that cannot be learned says why', async () => {
  const { id } = await call('POST', '/reflections', { displayName: 'Dropped' })
  const { page } = await signIn(server, `/reflections/${id}/sources`)
  await page.getByText('No sources yet').waitFor()
  await drop(page, 'notes.md', 'I live in Tromsø.')
  await learned(page, 'notes.md').getByText('Learned: 1 chunk').waitFor()
  await page.setInputFiles('[data-source-files]', {
    name: 'holiday.png',
    mimeType: 'image/png',
    buffer: Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk', 'base64'),
  })
  const failed = page.locator('li[data-state="failed"]').filter({ hasText: 'holiday.png' })
  await failed.getByText('Could not be learned').waitFor()
  expect(await failed.locator('p').last().textContent()).not.toBe('')
})

test('[A1] a viewer is offered nothing that takes more than a viewer', async () => {
  const { id } = await call('POST', '/reflections', { displayName: 'Shared' })
  const viewer = await call('POST', '/tokens', { label: 'Vera', role: 'viewer', reflectionId: id })
  const { page } = await signIn(server, `/reflections/${id}`, { token: viewer['token'] ?? '' })
  await page.getByRole('list', { name: 'Namespaces' }).getByText('general').waitFor()
  expect(await page.getByRole('link', { name: 'Members' }).count()).toBe(0)
  expect(await page.getByRole('button', { name: /Publish|Delete|Save/ }).count()).toBe(0)
  await part(page, 'Sources')
  await page.getByText('Sources are added by operators').waitFor()
  expect(await page.getByRole('button', { name: /Choose files|Paste text|Remove/ }).count()).toBe(0)
  await part(page, 'Patches')
  await page.getByText('Nothing waits.').waitFor()
})

test('members are added and changed, by name', async () => {
  const { id } = await call('POST', '/reflections', { displayName: 'Shared' })
  const { personId } = await call('POST', '/tokens', { label: 'Otto', role: 'operator' })
  const { page } = await signIn(server, `/reflections/${id}/members`)
  await page.locator(`datalist option[value="${personId}"][label="Otto"]`).waitFor({ state: 'attached' })
  await page.getByLabel('Their id').fill(personId ?? '')
  await page.getByRole('button', { name: 'Add' }).click()
  await page.getByLabel('Role of Otto', { exact: true }).selectOption('operator')
  const save = page.getByRole('button', { name: 'Save the role of Otto' })
  await save.click()
  await page.locator('button[aria-disabled="true"]').and(save).waitFor()
  expect(await page.getByLabel('Role of Otto', { exact: true }).inputValue()).toBe('operator')
  await page.getByRole('button', { name: 'Remove Otto' }).click()
  await page.getByRole('button', { name: 'Remove', exact: true }).click()
  await page.getByLabel('Role of Otto', { exact: true }).waitFor({ state: 'detached' })
})

test('all parts fit a phone, and open by keys alone', async () => {
  const { id } = await call('POST', '/reflections', {
    displayName: 'A reflection with a name that is longer than any phone is wide, and then some',
  })
  await call('POST', `/reflections/${id}/namespaces`, {
    name: 'a-namespace-whose-name-is-as-long-as-the-name-of-one-may-be-here',
  })
  const { page } = await signIn(server, `/reflections/${id}`, { viewport: { width: 390, height: 844 } })
  for (const name of ['Overview', 'Sources', 'Facts', 'Patches', 'Ask', 'Members']) {
    const link = page.getByRole('link', { name, exact: true })
    await link.focus()
    await page.keyboard.press('Enter')
    await page.locator('nav a[aria-current="page"]').getByText(name, { exact: true }).waitFor()
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390)
  }
})

const part = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Parts of the reflection' }).getByRole('link', { name }).click()

async function paste(page: Page, title: string, text: string) {
  await page.getByRole('button', { name: 'Paste text' }).click()
  await page.getByLabel('Title').fill(title)
  await page.getByLabel('Text', { exact: true }).fill(text)
  await page.getByRole('button', { name: /^Add to/ }).click()
}

const learned = (page: Page, title: string) =>
  page.locator('li[data-state="completed"]').filter({ hasText: title })

async function ask(page: Page, question: string, audience: string) {
  await page.getByLabel('Question').fill(question)
  await page.getByLabel('Look as').selectOption(audience)
  await page.getByRole('button', { name: 'Ask' }).click()
}

const isOffered = async (button: Locator) => (await button.getAttribute('aria-disabled')) !== 'true'

/** As a person drops a file from their desktop. */
async function drop(page: Page, name: string, text: string) {
  const files = await page.evaluateHandle(
    `(() => { const held = new DataTransfer(); held.items.add(new File([${JSON.stringify(text)}], ${JSON.stringify(name)})); return held })()`,
  )
  await page.dispatchEvent('body', 'dragover', { dataTransfer: files })
  await page.getByText('Drop to add to').waitFor()
  await page.dispatchEvent('body', 'drop', { dataTransfer: files })
}

async function call(method: string, path: string, body: object): Promise<Record<string, string>> {
  const response = await fetch(`${server.ready.url}/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${server.ready.token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return (await response.json()) as Record<string, string>
}
