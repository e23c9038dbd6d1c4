import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createApiClient } from '@parley/api-client'
import { type FreshDatabase, freshDatabase } from '@parley/postgres/testing'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newContext } from '../support/console-server.ts'
import { sharedBrowser } from '../support/open-browser.ts'
import { type RunningParley, startParley, createTemporaryHome } from '../support/running-parley.ts'
import { startSteeredProvider, type SteeredProvider } from '../support/steered-provider.ts'

/** A separate process, so the test can kill it. */
let parley: RunningParley
let provider: SteeredProvider
let place: Awaited<ReturnType<typeof createTemporaryHome>>
let database: FreshDatabase
beforeAll(async () => {
  provider = await startSteeredProvider()
  place = await createTemporaryHome()
  database = await freshDatabase()
  await writeFile(join(place.home, 'config.toml'), provider.config)
  parley = await startParley(place.home, database)
})
afterAll(async () => {
  await parley?.stop('SIGINT')
  await place?.remove()
  await database?.drop()
  await provider?.close()
})

test('[S6] [X4] two windows show the same session live, also after the server is killed during an answer', async () => {
  const { url, token } = parley.ready
  const { sessionId } = await createApiClient({ baseUrl: url, token }).sessions.start()
  const first = await openSignedInPage(`/sessions/${sessionId}`)
  const second = await openSignedInPage(`/sessions/${sessionId}`)
  await second.getByText('No messages yet.').waitFor()

  await sendMessage(first, 'Tell me slowly where the temple stands and who built it')
  for (const page of [first, second]) {
    await findLastAnswer(page)
      .getByText(/^You said: Tell me slowly where the/)
      .waitFor()
    expect(
      await findLastAnswer(page)
        .getByText(/who built it/)
        .count(),
    ).toBe(0)
  }

  await parley.stop('SIGKILL')
  for (const page of [first, second]) await page.getByText('Connection lost').waitFor()
  parley = await startParley(place.home, { ...database, port: Number(new URL(url).port) })
  for (const page of [first, second]) {
    await page.getByText('This answer was interrupted.').waitFor()
    await page.getByText('Connection lost').waitFor({ state: 'detached' })
  }

  await second.getByRole('button', { name: 'Continue' }).click()
  for (const page of [first, second]) await page.getByRole('button', { name: 'Stop' }).waitFor()
  for (const page of [first, second])
    await findLastAnswer(page)
      .getByText(/slowly where the/)
      .waitFor()
  provider.release()
  for (const page of [first, second])
    await findLastAnswer(page)
      .getByText(/who built it$/)
      .waitFor()
  await waitUntilSame(first, second)

  await sendMessage(second, 'Thank you')
  await findLastAnswer(first).getByText('You said: Thank you').waitFor()
  await waitUntilSame(first, second)
  await first.reload()
  await waitUntilSame(first, second)
})

const findLastAnswer = (page: Page) => page.locator('[data-role="assistant"]').last()

/** The content of both windows, once the turn details are loaded. */
async function waitUntilSame(one: Page, other: Page) {
  await expect
    .poll(async () => {
      const [left, right] = [await readArticles(one), await readArticles(other)]
      const isWhole = left.length > 0 && right.join('').includes('tokens')
      return isWhole && left.join('\n') === right.join('\n') ? 'the same' : { left, right }
    })
    .toBe('the same')
}

const readArticles = (page: Page) => page.getByRole('log').getByRole('article').allTextContents()

async function sendMessage(page: Page, text: string) {
  await page.getByRole('textbox', { name: 'Message' }).fill(text)
  await page.getByRole('button', { name: 'Send' }).click()
}

async function openSignedInPage(path: string): Promise<Page> {
  const context = await newContext(sharedBrowser(), { viewport: { width: 1000, height: 800 } })
  const page = await context.newPage()
  await page.goto(`${parley.ready.url}${path}#token=${parley.ready.token}`)
  return page
}
