import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startDemo } from '../support/demo-server.ts'
import { openBrowserWithMicrophone } from '../support/microphone.ts'

const QUESTION = 'Why did you change your mind about planting?'
const PATIENCE = { timeout: 90_000 }

let demo: Awaited<ReturnType<typeof startDemo>>
let browser: Browser
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-microphone-'))
  ;[demo, browser] = await Promise.all([
    startDemo(),
    openBrowserWithMicrophone(folder, {
      question: QUESTION,
      secondsBefore: 2,
      secondsAfter: 2,
      isRepeated: false,
    }),
  ])
})
afterAll(async () => {
  await browser?.close()
  await demo?.stop()
  await rm(folder, { recursive: true, force: true })
})

/** Only private sources contain the answer. */
const PRIVATE_QUESTION = 'What are you allergic to?'
const PRIVATE_FACT = 'shellfish'

test('[X2] [P5] a newcomer talks to the demo by voice, sees the sources, publishes a folder and opens the link: private facts stay hidden', async () => {
  const { url, token } = demo.parley.ready
  const page = await newPage()
  await page.goto(`${url}/#token=${token}`)
  await page.getByRole('button', { name: 'Skip tour' }).click()

  await page
    .getByRole('link', { name: /^Talk with/ })
    .first()
    .click()
  await page.getByRole('button', { name: 'Talk', exact: true }).click()
  await waitForWords(page, /chang\w* your mind/i)
  const citation = page.getByText(/^Source /).first()
  await citation.click(PATIENCE)
  const quotes = page.getByRole('list', { name: 'Source', exact: true })
  await quotes.getByText('planting').first().waitFor()
  await waitUntilVisible(quotes.locator('blockquote mark, blockquote:not(:has(mark))').first())
  await page.getByRole('button', { name: 'End', exact: true }).click()
  await page.getByRole('region', { name: 'Summary' }).waitFor(PATIENCE)

  await page.getByRole('button', { name: 'New conversation' }).click()
  await page.getByRole('button', { name: 'Type instead' }).click()
  await typeMessage(page, PRIVATE_QUESTION)
  await waitForWords(page, new RegExp(PRIVATE_FACT))

  await publishNamespace(page, 'family')
  const visitor = await newPage()
  await visitor.goto(await createShareLink(page))
  await visitor.getByRole('button', { name: 'Type instead' }).click(PATIENCE)
  await typeMessage(visitor, QUESTION)
  await waitForWords(visitor, /planting \(2017\)/)
  await typeMessage(visitor, PRIVATE_QUESTION)
  await waitForAnswers(visitor, 2)
  expect(await visitor.content()).not.toContain(PRIVATE_FACT)
})

async function newPage(): Promise<Page> {
  const context = await browser.newContext({ locale: 'en-US', permissions: ['microphone'] })
  const page = await context.newPage()
  page.setDefaultTimeout(PATIENCE.timeout)
  return page
}

async function waitForWords(page: Page, words: RegExp) {
  await expect.poll(() => page.getByRole('log').textContent(), PATIENCE).toMatch(words)
}

async function typeMessage(page: Page, text: string) {
  await page.getByRole('textbox').fill(text)
  await page.keyboard.press('Enter')
}

/** Waits until the whole element is inside the transcript's box. */
const waitUntilVisible = async (part: Locator) => {
  await expect
    .poll(() =>
      part.evaluate((element) => {
        const box = element.closest('[role=log]')?.getBoundingClientRect() ?? { top: 0, bottom: 0 }
        const { top, bottom } = element.getBoundingClientRect()
        return top >= box.top && bottom <= box.bottom
      }),
    )
    .toBe(true)
}

/** Waits for this number of complete answers. */
async function waitForAnswers(page: Page, count: number) {
  const answers = page.locator('article[data-role="assistant"][aria-busy="false"]')
  await expect.poll(() => answers.count(), PATIENCE).toBe(count)
}

async function publishNamespace(page: Page, namespace: string) {
  await page.goto(`${demo.parley.ready.url}/reflections/${demo.reflection.id}`)
  await page.getByRole('button', { name: `Publish ${namespace}` }).click()
  const question = page.getByRole('group', { name: `Publish ${namespace}` })
  await question.getByText('WhatsApp chat with Liv').first().waitFor()
  await question.getByRole('button', { name: 'Make it public' }).click()
  await page.getByRole('button', { name: `Unpublish ${namespace}` }).waitFor()
}

async function createShareLink(page: Page): Promise<string> {
  await page.goto(`${demo.parley.ready.url}/reflections/${demo.reflection.id}/share`)
  await page.getByRole('button', { name: 'Create link' }).click()
  return page.getByRole('region', { name: 'New share link' }).getByRole('textbox').inputValue()
}
