import { mkdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { type ApiClient, createApiClient } from '@parley/api-client'
import type { Reflection } from '@parley/contracts'
import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type ConsoleServer, openConsole, PATIENCE_MS } from '../support/console-server.ts'
import { waitForDemo } from '../support/demo-server.ts'
import { sharedBrowser } from '../support/open-browser.ts'

/** With `PARLEY_SCREENSHOTS=1` every page is also saved as a screenshot. */
const PICTURES = process.env['PARLEY_SCREENSHOTS']
  ? new URL('../../docs/console/', import.meta.url)
  : undefined

const DESK = { width: 1280, height: 800 }
const PHONE = { width: 390, height: 844 }
const LAYOUTS = {
  'dark phone': { viewport: PHONE, colorScheme: 'dark' },
  light: { viewport: DESK, colorScheme: 'light' },
  dark: { viewport: DESK, colorScheme: 'dark' },
  phone: { viewport: PHONE, colorScheme: 'light' },
} as const
type PageLayout = keyof typeof LAYOUTS

/** Both colour schemes and both widths. A page opens in the first, the narrowest, with delayed answers; then it changes. */
const SHOWN: readonly PageLayout[] = PICTURES ? ['phone', 'light', 'dark'] : ['dark phone', 'light']
const OPENED = SHOWN[0] ?? 'light'

let server: ConsoleServer
let demo: { readonly client: ApiClient; readonly reflection: Reflection }
let content: Awaited<ReturnType<typeof createContent>>
/** Titles of the signed-in pages. */
const titles = new Map<string, string>()
/** The tab for signed-in pages, and the one for public pages. */
const tabs = new Map<boolean, Tab>()

interface Tab {
  readonly page: Page
  /** Errors of the open page. */
  complaints: string[]
  /** The number of requests to the server. */
  requests: number
}

beforeAll(async () => {
  server = await openConsole({ demo: true })
  const client = createApiClient({ baseUrl: server.ready.url, token: server.ready.token })
  demo = { client, reflection: await waitForDemo(client) }
  content = await createContent()
})
afterAll(async () => {
  for (const { page } of tabs.values()) await page.context().close()
  await server?.close()
})

/** Creates content for each page. */
async function createContent() {
  const { client, reflection } = demo
  const { sessionId } = await client.sessions.start({ reflectionId: reflection.id, title: 'Why planting' })
  await client.sessions.send({
    sessionId,
    text: 'Why did you change your mind about planting?',
    idempotencyKey: 'made-up-key',
  })
  const { signal } = new AbortController()
  for await (const { type } of client.sessions.events({ sessionId, after: 0, signal })) {
    if (type === 'session:turn_completed') break
  }
  await client.mySettings.set({ tour: 'done' })
  const { token } = await client.reflections.share({ reflectionId: reflection.id, maxUses: 50 })
  const sources = (await client.reflections.sources({ reflectionId: reflection.id, limit: 50 })).items
  const sourceId = sources.find(({ title }) => title.startsWith('Essay'))?.id ?? ''
  return { sessionId, shareToken: token, sourceId, generation: await createSecondGeneration() }
}

/** A second version, so two can be compared. */
async function createSecondGeneration(): Promise<number> {
  const { client, reflection } = demo
  const { id: reflectionId } = reflection
  const note = { title: 'A note on pears', namespace: 'notes', text: 'I like quinces. I keep a pear tree.' }
  await client.reflections.addSource(reflectionId, note)
  const readLiveGeneration = async () => (await client.reflections.ledger({ reflectionId })).live ?? 0
  await vi.waitUntil(async () => (await readLiveGeneration()) > 1, { timeout: 120_000 })
  return readLiveGeneration()
}

interface ConsolePage {
  readonly name: string
  readonly path: () => string
  /** True for pages that need no sign-in. */
  readonly isOpen?: true
}

const toReflectionPath = (part: string) => () => `/reflections/${demo.reflection.id}${part}`
const toSessionPath = (view: string) => () => `/sessions/${content.sessionId}${view}`

const PAGES: readonly ConsolePage[] = [
  { name: 'home', path: () => '/' },
  { name: 'reflections', path: () => '/reflections' },
  { name: 'talk', path: toReflectionPath('/talk') },
  { name: 'overview', path: toReflectionPath('') },
  { name: 'sources', path: toReflectionPath('/sources') },
  { name: 'source', path: () => toReflectionPath(`/sources/${content.sourceId}`)() },
  { name: 'facts', path: toReflectionPath('/facts') },
  { name: 'patches', path: toReflectionPath('/patches') },
  { name: 'ask', path: toReflectionPath('/ask') },
  { name: 'voice', path: toReflectionPath('/voice') },
  { name: 'share', path: toReflectionPath('/share') },
  { name: 'runtime', path: toReflectionPath('/runtime') },
  { name: 'ledger', path: toReflectionPath('/runtime/ledger') },
  { name: 'generation', path: () => toReflectionPath(`/runtime/ledger/${content.generation}?beside=1`)() },
  { name: 'variables', path: toReflectionPath('/runtime/variables') },
  { name: 'members', path: toReflectionPath('/members') },
  { name: 'sessions', path: () => '/sessions' },
  { name: 'new-session', path: () => '/sessions/new' },
  { name: 'session', path: toSessionPath('') },
  { name: 'session-events', path: toSessionPath('/events') },
  { name: 'session-replay', path: toSessionPath('/replay') },
  { name: 'session-export', path: toSessionPath('/export') },
  { name: 'approvals', path: () => '/approvals' },
  { name: 'health', path: () => '/health' },
  { name: 'not-found', path: () => '/nothing-here' },
  { name: 'visitor', path: () => `/r/${content.shareToken}`, isOpen: true },
  { name: 'sign-in', path: () => '/', isOpen: true },
]

describe.each(PAGES)('$name', ({ name, path, isOpen }) => {
  let page: Page
  let complaints: readonly string[]

  test.each(SHOWN)('%s', async (layout) => {
    if (layout === OPENED) ({ page, complaints } = await openPage(path(), isOpen))
    else await applyLayout(page, layout)
    expect(await findAccessibilityViolations(page)).toEqual([])
    const { width, height } = LAYOUTS[layout].viewport
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width)
    // Long content scrolls within the page; header and side bar stay.
    expect(await page.evaluate<number>('document.documentElement.scrollHeight')).toBeLessThanOrEqual(height)
    expect(await page.evaluate<number>('window.shifted')).toBeLessThan(0.1)
    if (!isOpen) titles.set(name, await page.title())
    expect(complaints).toEqual([])
    if (PICTURES) {
      await mkdir(PICTURES, { recursive: true })
      await page.screenshot({
        path: fileURLToPath(new URL(`${name}-${layout}.jpg`, PICTURES)),
        type: 'jpeg',
        quality: 82,
      })
    }
  })
})

test('every page has its own browser title', () => {
  expect([...new Set(titles.values())].toSorted()).toEqual([...titles.values()].toSorted())
})

async function openPage(path: string, isOpen = false): Promise<{ page: Page; complaints: string[] }> {
  const tab = await getTab(isOpen)
  const { page } = tab
  const complaints: string[] = []
  await applyLayout(page, OPENED)
  Object.assign(tab, { complaints, requests: 0 })
  await page.goto(`${server.ready.url}${path}`)
  await page.getByRole('heading').first().waitFor()
  await page.evaluate(SETTLED)
  return { page, complaints }
}

/** Another width causes a new layout, which does not count as a shift. */
async function applyLayout(page: Page, layout: PageLayout) {
  const { viewport, colorScheme } = LAYOUTS[layout]
  await page.setViewportSize(viewport)
  await page.emulateMedia({ colorScheme })
  await page.evaluate(SETTLED)
  await page.evaluate('window.shifted = 0')
}

/** Shorter in total than the time a page gets to settle. */
const LATE = { steps: 8, stepMs: 30 }

/** One tab for all pages: each tab is a process. */
async function getTab(isOpen: boolean): Promise<Tab> {
  const known = tabs.get(isOpen)
  if (known) return known
  const context = await (await sharedBrowser()).newContext({ locale: 'en-US', ...LAYOUTS[OPENED] })
  context.setDefaultTimeout(PATIENCE_MS)
  const page = await context.newPage()
  const tab: Tab = { page, complaints: [], requests: 0 }
  tabs.set(isOpen, tab)
  if (!isOpen) {
    const { url, token } = server.ready
    await page.goto(`${url}/#token=${token}`)
    await page.getByRole('heading').first().waitFor()
  }
  // The browser logs the 401 of a signed-out page.
  page.on('console', (message) => {
    if (message.type() === 'error' && !(isOpen && message.text().includes('401')))
      tab.complaints.push(message.text())
  })
  page.on('pageerror', (error) => tab.complaints.push(error.message))
  await page.addInitScript(WATCH_SHIFTS)
  // Answer the first request last, so upper parts load after lower ones.
  await page.route('**/v1/**', async (route) => {
    const stepsToWait = Math.max(0, LATE.steps - tab.requests)
    tab.requests += 1
    await new Promise((resolve) => setTimeout(resolve, stepsToWait * LATE.stepMs))
    await route.continue().catch(() => undefined)
  })
  return tab
}

interface Violation {
  readonly id: string
  readonly impact: string | null
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[]
}

/** Accessibility violations. */
async function findAccessibilityViolations(page: Page): Promise<readonly string[]> {
  if (!(await page.evaluate<boolean>("'axe' in window"))) await page.evaluate(axe.source)
  // Rules that need preloaded style sheets are off by default.
  const violations = await page.evaluate<readonly Violation[]>(
    "axe.run({ resultTypes: ['violations'], preload: false }).then((found) => found.violations)",
  )
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary = '' }) => `${id}: ${html} ${failureSummary}`),
    )
}

const WATCH_SHIFTS = `
  window.shifted = 0
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shifted += entry.value
  }).observe({ type: 'layout-shift', buffered: true })`

/** Resolves once nothing loads, fades in or changes on the page. */
const SETTLED = `new Promise((resolve) => {
  const begun = Date.now()
  let timer
  const again = () => { clearTimeout(timer); timer = setTimeout(look, 300) }
  const watch = new MutationObserver(again)
  const look = () => {
    const isMoving = document.querySelector('.animate-late') ||
      document.getAnimations().some(({ effect }) => effect.getComputedTiming().endTime !== Infinity)
    if (isMoving && Date.now() - begun < 15000) return again()
    watch.disconnect()
    resolve()
  }
  watch.observe(document, { subtree: true, childList: true, attributes: true, characterData: true })
  again()
})`
