/** Measures pages of the console in a real browser, by the browser's own performance entries. Prints one JSON document. */
import type { Page } from 'playwright-core'
import { openBrowser } from '../support/open-browser.ts'

interface MeasureJob {
  readonly url: string
  readonly token: string
  /** Paths of a session's page and of a reflection's facts. */
  readonly session: string
  readonly facts: string
}

/** Runs in the page before its own scripts. */
const WATCH_SCRIPT = `
  const watched = { longestKey: 0, longestTask: 0, shownAt: {} }
  globalThis.watched = watched
  const observe = (type, take) =>
    new PerformanceObserver((list) => list.getEntries().forEach(take)).observe({ type, buffered: true, durationThreshold: 16 })
  observe('event', ({ name, duration }) => {
    if (name.startsWith('key')) watched.longestKey = Math.max(watched.longestKey, duration)
  })
  observe('longtask', ({ duration }) => { watched.longestTask = Math.max(watched.longestTask, duration) })
  const look = () => {
    for (const selector of ['[role=log] article', 'ul[aria-label=Facts] li'])
      if (!(selector in watched.shownAt) && document.querySelector(selector)) watched.shownAt[selector] = performance.now()
    requestAnimationFrame(look)
  }
  requestAnimationFrame(look)
`

const job = JSON.parse(process.argv[2] ?? '{}') as MeasureJob
const browser = await openBrowser()
try {
  const context = await browser.newContext({ locale: 'en-US', viewport: { width: 1280, height: 860 } })
  await context.addInitScript({ content: WATCH_SCRIPT })
  const page = await context.newPage()
  await page.goto(`${job.url}/sessions#token=${job.token}`)
  await page.getByRole('heading', { level: 1, name: 'Sessions' }).waitFor()

  const sessionShown = await measureFirstContent(page, job.session, '[role=log] article')
  const sessionScrolled = await measureScrollUp(page)
  const { longestTask } = await readTimings(page)
  const sessionTyped = await measureTyping(page)
  const factsShown = await measureFirstContent(page, job.facts, 'ul[aria-label=Facts] li')
  const factsScrolled = await measureScrollDown(page)
  process.stdout.write(
    JSON.stringify({ sessionShown, sessionScrolled, sessionTyped, factsShown, factsScrolled, longestTask }),
  )
} finally {
  await browser.close()
}

interface PageTimings {
  /** Longest time from a key to its result on the page, in milliseconds. The browser reports none below 16. */
  readonly longestKey: number
  readonly longestTask: number
  readonly shownAt: Readonly<Record<string, number>>
}

async function readTimings(page: Page): Promise<PageTimings> {
  return page.evaluate<PageTimings>('globalThis.watched')
}

async function resetTimings(page: Page): Promise<void> {
  await page.evaluate('globalThis.watched.longestKey = 0; globalThis.watched.longestTask = 0')
}

/** Time from the navigation to the first frame with content. */
async function measureFirstContent(page: Page, path: string, selector: string): Promise<number> {
  await page.goto(`${job.url}${path}`)
  await page.locator(selector).first().waitFor()
  await page.waitForFunction(`globalThis.watched.shownAt[${JSON.stringify(selector)}] > 0`)
  return Math.round((await readTimings(page)).shownAt[selector] ?? Number.NaN)
}

/** Scrolls up through the whole session with Page Up. */
async function measureScrollUp(page: Page): Promise<number> {
  const log = page.getByRole('log')
  await log.focus()
  await resetTimings(page)
  const first = log.getByText('(question 1)', { exact: false })
  for (;;) {
    for (let pressed = 0; pressed < 20; pressed += 1) await page.keyboard.press('PageUp')
    if ((await first.count()) > 0) break
  }
  return (await readTimings(page)).longestKey
}

/** Types in the message box while an answer streams. */
async function measureTyping(page: Page): Promise<number> {
  const box = page.getByRole('textbox', { name: 'Message' })
  await box.fill('What did we say about the harbour?')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Stop' }).waitFor()
  await box.focus()
  await resetTimings(page)
  await page.keyboard.type('And when does the boat leave, and who is on it? '.repeat(4), { delay: 30 })
  const { longestKey } = await readTimings(page)
  await page.getByRole('button', { name: 'Stop' }).click()
  await page.getByRole('button', { name: 'Send' }).waitFor()
  return longestKey
}

/** Scrolls through the facts with keys. */
async function measureScrollDown(page: Page): Promise<number> {
  await page.locator('main [data-scrolls] [role=status]').first().click()
  await resetTimings(page)
  for (const key of ['PageDown', 'End', 'PageUp', 'Home', 'PageDown'])
    for (let pressed = 0; pressed < (key.startsWith('Page') ? 40 : 1); pressed += 1)
      await page.keyboard.press(key, { delay: 20 })
  // Proves that the keys scrolled.
  await page.waitForFunction(`document.querySelector('main [data-scrolls]').scrollTop > 0`)
  return (await readTimings(page)).longestKey
}
