import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ConsoleServer, openConsole } from './support/console-server.ts'
import { dropFile, findImportedSource, openReflectionPart } from './support/reflection-pages.ts'
import { signIn } from './support/sign-in.ts'

let server: ConsoleServer
beforeAll(async () => {
  server = await openConsole()
})
afterAll(() => server?.close())

const LETTER = 'I have lived in Oslo since 2004. I work as a bookbinder. My sister is called Runa.'
const LATER = 'I have lived in Tromsø since 2020. I was born in Bergen.'

test('a reflection is created, imports sources, is published, asked, edited and deleted', async () => {
  const { page, complaints } = await signIn(server)
  await page.getByRole('link', { name: 'Reflections' }).click()
  await page.getByText('No reflections yet').waitFor()
  await page.getByRole('button', { name: 'New reflection' }).click()
  await page.getByLabel('Display name').fill('Ada Marlow')
  await page.getByLabel('Creator’s name').fill('Ada Marlow')
  await page.getByRole('button', { name: 'Create' }).click()

  await page.getByText('No sources yet').waitFor()
  await pasteSource(page, 'Letter from Oslo', LETTER)
  await findImportedSource(page, 'Letter from Oslo').getByText('Imported: 1 passage').waitFor()

  await openReflectionPart(page, 'Facts')
  const oslo = page
    .getByRole('list', { name: 'Facts' })
    .getByRole('listitem')
    .filter({ hasText: 'in Oslo since 2004.' })
  await oslo.getByText('“I have lived in Oslo since 2004.”').waitFor()
  await oslo.getByText('Letter from Oslo').waitFor()
  await page.reload()
  await oslo.getByText('“I have lived in Oslo since 2004.”').waitFor()

  await openReflectionPart(page, 'Ask')
  await askQuestion(page, 'Where does Ada live?', 'Visitor (public only)')
  await page.getByText('No results').waitFor()

  await openReflectionPart(page, 'Overview')
  await page.getByLabel('Approve facts from conversations automatically').check()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved.').waitFor()
  await page.reload()
  expect(await page.getByLabel('Approve facts from conversations automatically').isChecked()).toBe(true)
  await page.getByRole('button', { name: 'Publish general' }).click()
  const question = page.getByRole('group', { name: 'Publish general' })
  await question.getByText(/hear anything from this source, word for word/).waitFor()
  const named = question.getByRole('list', { name: 'Sources in general' }).getByRole('listitem')
  expect(await named.allTextContents()).toEqual(['Letter from Oslo'])
  await question.getByRole('button', { name: 'Make it public' }).click()
  await page.getByRole('button', { name: 'Unpublish general' }).waitFor()

  await openReflectionPart(page, 'Ask')
  await askQuestion(page, 'Where does Ada live?', 'Visitor (public only)')
  const evidence = page.getByRole('list', { name: 'Evidence' })
  await evidence.getByText('I have lived in Oslo since 2004.').first().waitFor()
  await page.getByText(/results? in \d+ ms/).waitFor()

  await openReflectionPart(page, 'Overview')
  await page.getByLabel('Approve manually').check()
  await page.getByRole('button', { name: 'Save' }).click()
  await openReflectionPart(page, 'Sources')
  await pasteSource(page, 'Later letter', LATER)
  await findImportedSource(page, 'Later letter')
    .getByRole('link', { name: 'Facts waiting for approval' })
    .click()
  const waiting = page.getByRole('list', { name: 'Waiting changes' })
  await waiting.getByText(/born in Bergen\.$/).waitFor()
  await waiting
    .locator('del')
    .getByText(/lives in Oslo since 2004\.$/)
    .waitFor()
  await waiting.getByRole('button', { name: 'Approve' }).click()
  await page.getByText('Nothing to review.').waitFor()
  await openReflectionPart(page, 'Facts')
  await page.getByText(/born in Bergen\.$/).waitFor()
  expect(await oslo.count()).toBe(0)
  await page.getByLabel('Show').selectOption('everything')
  await oslo.and(page.locator('li:has([data-state="superseded"])')).waitFor()

  await openReflectionPart(page, 'Sources')
  await page.getByRole('button', { name: 'Remove Letter from Oslo' }).click()
  await page.getByRole('button', { name: 'Remove permanently' }).click()
  await page.getByText('Letter from Oslo').waitFor({ state: 'detached' })
  await openReflectionPart(page, 'Facts')
  await page.getByText(/born in Bergen\.$/).waitFor()
  expect(await page.getByText('“I have lived in Oslo since 2004.”').count()).toBe(0)

  await openReflectionPart(page, 'Overview')
  await page.getByRole('button', { name: 'Delete this reflection' }).click()
  const removal = page.getByRole('group', { name: 'Delete this reflection' })
  await removal.getByLabel('Type “Ada Marlow”').fill('Ada')
  expect(await isEnabled(removal.getByRole('button', { name: 'Delete permanently' }))).toBe(false)
  await removal.getByLabel('Type “Ada Marlow”').fill('Ada Marlow')
  await removal.getByRole('button', { name: 'Delete permanently' }).click()
  await page.getByText('No reflections yet').waitFor()
  expect(complaints).toEqual([])
})

test('files can be dropped anywhere, and a failed import shows its reason', async () => {
  const { id } = await call('POST', '/reflections', { displayName: 'Dropped' })
  const { page } = await signIn(server, `/reflections/${id}/sources`)
  await page.getByText('No sources yet').waitFor()
  await dropFile(page, 'notes.md', 'I live in Tromsø.')
  await findImportedSource(page, 'notes.md').getByText('Imported: 1 passage').waitFor()
  await page.setInputFiles('[data-source-files]', {
    name: 'holiday.png',
    mimeType: 'image/png',
    buffer: Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk', 'base64'),
  })
  const failed = page.locator('li[data-state="failed"]').filter({ hasText: 'holiday.png' })
  await failed.getByText('Import failed').waitFor()
  expect(await failed.locator('p').last().textContent()).not.toBe('')
})

test('[A1] a viewer sees no action that needs a higher role', async () => {
  const { id } = await call('POST', '/reflections', { displayName: 'Shared' })
  const viewer = await call('POST', '/tokens', { label: 'Vera', role: 'viewer', reflectionId: id })
  const { page } = await signIn(server, `/reflections/${id}`, { token: viewer['token'] ?? '' })
  await page.getByRole('list', { name: 'Folders' }).getByText('general').waitFor()
  expect(await page.getByRole('link', { name: 'Members' }).count()).toBe(0)
  expect(await page.getByRole('button', { name: /Publish|Delete|Save/ }).count()).toBe(0)
  await openReflectionPart(page, 'Sources')
  await page.getByText('Operators of this reflection can add sources').waitFor()
  expect(await page.getByRole('button', { name: /Choose files|Paste text|Remove/ }).count()).toBe(0)
  await openReflectionPart(page, 'Review')
  await page.getByText('Nothing to review.').waitFor()
})

test('members are added, changed and removed', async () => {
  const { id } = await call('POST', '/reflections', { displayName: 'Shared' })
  const { personId } = await call('POST', '/tokens', { label: 'Otto', role: 'operator' })
  const { page } = await signIn(server, `/reflections/${id}/members`)
  await page.locator(`datalist option[value="${personId}"][label="Otto"]`).waitFor({ state: 'attached' })
  await page.getByLabel('Person ID').fill(personId ?? '')
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

test('all pages fit a phone, and open by keyboard', async () => {
  const { id } = await call('POST', '/reflections', {
    displayName: 'A reflection with a name that is longer than any phone is wide, and then some',
  })
  await call('POST', `/reflections/${id}/namespaces`, {
    name: 'a-namespace-whose-name-is-as-long-as-the-name-of-one-may-be-here',
  })
  const { page } = await signIn(server, `/reflections/${id}`, { viewport: { width: 390, height: 844 } })
  for (const name of ['Overview', 'Sources', 'Facts', 'Review', 'Ask', 'Members']) {
    const link = page.getByRole('link', { name, exact: true })
    await link.focus()
    await page.keyboard.press('Enter')
    await page.locator('nav a[aria-current="page"]').getByText(name, { exact: true }).waitFor()
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390)
  }
})

async function pasteSource(page: Page, title: string, text: string) {
  await page.getByRole('button', { name: 'Paste text' }).click()
  await page.getByLabel('Title').fill(title)
  await page.getByLabel('Text', { exact: true }).fill(text)
  await page.getByRole('button', { name: /^Add to/ }).click()
}

async function askQuestion(page: Page, question: string, audience: string) {
  await page.getByLabel('Question').fill(question)
  await page.getByLabel('Search as').selectOption(audience)
  await page.getByRole('button', { name: 'Ask' }).click()
}

const isEnabled = async (button: Locator) => (await button.getAttribute('aria-disabled')) !== 'true'

const call = async (method: string, path: string, body: object) =>
  (await server.call(method, path, body)) as Record<string, string>
