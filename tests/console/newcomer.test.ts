import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSpeech } from '@parley/offline-speech'
import { encodeWav, joinSamples } from '@parley/speech'
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startDemo } from '../support/demo-server.ts'
import { openBrowser } from '../support/open-browser.ts'

const QUESTION = 'Why did you change your mind about planting?'
const PATIENCE = { timeout: 90_000 }

let demo: Awaited<ReturnType<typeof startDemo>>
let browser: Browser
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-microphone-'))
  const microphone = join(folder, 'microphone.wav')
  await speakInto(microphone)
  ;[demo, browser] = await Promise.all([
    startDemo(),
    openBrowser(
      '--use-fake-device-for-media-stream',
      '--use-fake-ui-for-media-stream',
      `--use-file-for-fake-audio-capture=${microphone}%noloop`,
      '--autoplay-policy=no-user-gesture-required',
    ),
  ])
})
afterAll(async () => {
  await browser?.close()
  await demo?.stop()
  await rm(folder, { recursive: true, force: true })
})

/** A fact in private sources only. */
const ASKED = 'What are you allergic to?'
const PRIVATE = 'shellfish'

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
  await hears(page, /chang\w* your mind/i)
  const citation = page.getByText(/^Source /).first()
  await citation.click(PATIENCE)
  const quotes = page.getByRole('list', { name: 'Source', exact: true })
  await quotes.getByText('planting').first().waitFor()
  await isInSight(quotes.locator('blockquote mark, blockquote:not(:has(mark))').first())
  await page.getByRole('button', { name: 'End', exact: true }).click()
  await page.getByRole('region', { name: 'Summary' }).waitFor(PATIENCE)

  await page.getByRole('button', { name: 'New conversation' }).click()
  await page.getByRole('button', { name: 'Type instead' }).click()
  await say(page, ASKED)
  await hears(page, new RegExp(PRIVATE))

  await publish(page, 'family')
  const visitor = await newPage()
  await visitor.goto(await share(page))
  await visitor.getByRole('button', { name: 'Type instead' }).click(PATIENCE)
  await say(visitor, QUESTION)
  await hears(visitor, /planting \(2017\)/)
  await say(visitor, ASKED)
  await answered(visitor, 2)
  expect(await visitor.content()).not.toContain(PRIVATE)
})

async function newPage(): Promise<Page> {
  const context = await browser.newContext({ locale: 'en-US', permissions: ['microphone'] })
  const page = await context.newPage()
  page.setDefaultTimeout(PATIENCE.timeout)
  return page
}

async function hears(page: Page, words: RegExp) {
  await expect.poll(() => page.getByRole('log').textContent(), PATIENCE).toMatch(words)
}

async function say(page: Page, text: string) {
  await page.getByRole('textbox').fill(text)
  await page.keyboard.press('Enter')
}

/** Waits until the whole element is inside the transcript's box. */
const isInSight = async (part: Locator) => {
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

/** Waits for the answer to the question. */
async function answered(page: Page, times: number) {
  const answers = page.locator('article[data-role="assistant"][aria-busy="false"]')
  await expect.poll(() => answers.count(), PATIENCE).toBe(times)
}

async function publish(page: Page, namespace: string) {
  await page.goto(`${demo.parley.ready.url}/reflections/${demo.reflection.id}`)
  await page.getByRole('button', { name: `Publish ${namespace}` }).click()
  const question = page.getByRole('group', { name: `Publish ${namespace}` })
  await question.getByText('WhatsApp chat with Liv').first().waitFor()
  await question.getByRole('button', { name: 'Make it public' }).click()
  await page.getByRole('button', { name: `Unpublish ${namespace}` }).waitFor()
}

async function share(page: Page): Promise<string> {
  await page.goto(`${demo.parley.ready.url}/reflections/${demo.reflection.id}/share`)
  await page.getByRole('button', { name: 'Create link' }).click()
  return page.getByRole('region', { name: 'New share link' }).getByRole('textbox').inputValue()
}

async function speakInto(file: string): Promise<void> {
  const speech = openSpeech({ onError: () => undefined })
  const { samples, sampleRate } = await speech.synthesiser.synthesise(
    QUESTION,
    {},
    new AbortController().signal,
  )
  const quiet = new Int16Array(2 * sampleRate)
  await writeFile(file, encodeWav({ samples: joinSamples([quiet, samples, quiet]), sampleRate }))
  await speech.close()
}
