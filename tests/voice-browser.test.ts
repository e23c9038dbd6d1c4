import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freshDatabase } from '@parley/postgres/testing'
import { openSpeech } from '@parley/offline-speech'
import { startVoice } from '@parley/voice-provider'
import { build } from 'esbuild'
import { pino } from 'pino'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { createGardenAgent } from '../apps/voice-provider/src/clients/garden-agent.fixture.ts'
import { API_KEY } from '../apps/voice-provider/src/testing/test-voice.ts'
import { createVendorClient } from '../apps/voice-provider/src/testing/vendor-client.ts'
import { openBrowserWithMicrophone } from './support/microphone.ts'

const QUESTION = 'Who planted the pear tree behind the house?'
/** Long enough to interrupt. */
const NOTE =
  'The pear tree behind the house was planted by my sister in the year when the river rose so high that the lower ' +
  'meadow stood under water until the middle of May, the hens had to be carried up to the attic in two old baskets, ' +
  'the road to the village was closed for eleven days, and the whole family ate bread with honey, since there was ' +
  'nothing else left in the house but a barrel of salt and the apples of the year before.'
const PATIENCE = { timeout: 60_000 }
const PAGES = {
  client: new URL('../apps/voice-provider/src/clients/pages/client-page.fixture.ts', import.meta.url),
  react: new URL('../apps/voice-provider/src/clients/pages/react-page.fixture.ts', import.meta.url),
  widget: new URL('../apps/voice-provider/src/clients/pages/widget-page.fixture.ts', import.meta.url),
}

let open: Awaited<ReturnType<typeof openServers>>
const closing: (() => unknown)[] = []
beforeAll(async () => {
  open = await openServers()
}, 180_000)
afterAll(async () => {
  for (const close of closing.toReversed()) await close()
})

test(
  '[X2] @elevenlabs/client by voice: the question is recognised, the answer is audible, and speech interrupts it',
  {
    timeout: 180_000,
  },
  async () => {
    const { page, events } = await newPage('client')
    await page.evaluate(`talk(${JSON.stringify(await open.signedUrl('spoken'))}, false)`)
    await expect.poll(() => events.join('\n'), PATIENCE).toMatch(/^user: .*pear tree/im)
    await page.evaluate('mute(true)')
    await expect.poll(() => events.join('\n'), PATIENCE).toMatch(/^ai: .*planted by my sister/m)
    await expect.poll(() => page.evaluate('volume()'), PATIENCE).toBeGreaterThan(0)
    const before = events.filter((line) => line === 'interrupted').length
    await page.evaluate('mute(false)')
    await expect
      .poll(() => events.filter((line) => line === 'interrupted').length, PATIENCE)
      .toBeGreaterThan(before)
    await page.evaluate('hangUp()')
    await expect.poll(() => events, PATIENCE).toContain('gone: user')
    expect(events.filter((line) => line.startsWith('error'))).toEqual([])
  },
)

test('[X2] @elevenlabs/client answers by text', { timeout: 180_000 }, async () => {
  const { page, events } = await newPage('client')
  await page.evaluate(`talk(${JSON.stringify(await open.signedUrl('typed'))}, true)`)
  await page.evaluate(`say(${JSON.stringify(QUESTION)})`)
  await expect.poll(() => events.join('\n'), PATIENCE).toMatch(/ai: [^]*planted by my sister/)
})

test('[X2] @elevenlabs/react answers by text', { timeout: 180_000 }, async () => {
  const { page } = await newPage(
    'react',
    `globalThis.signedUrl = ${JSON.stringify(await open.signedUrl('typed'))}`,
  )
  await page.getByRole('button', { name: 'Call' }).click()
  await page.getByRole('status').getByText('connected').waitFor()
  await page.getByRole('button', { name: 'Ask' }).click()
  const log = page.getByRole('log')
  await expect.poll(() => log.textContent(), PATIENCE).toContain('planted by my sister')
})

test('[X2] the widget by text, with the provider’s settings', { timeout: 180_000 }, async () => {
  const { page } = await newPage('widget')
  const widget = {
    'signed-url': await open.signedUrl('typed'),
    'override-config': JSON.stringify(await open.widgetConfig()),
    'always-expanded': 'true',
  }
  await page.evaluate(`{
    const widget = document.createElement('elevenlabs-convai')
    for (const [name, value] of Object.entries(${JSON.stringify(widget)})) widget.setAttribute(name, value)
    document.body.append(widget)
  }`)
  const input = page.getByRole('textbox', { name: 'Text message input' })
  await input.fill(QUESTION)
  await input.press('Enter')
  const answer = page.getByText('planted by my sister')
  await expect.poll(() => answer.count(), PATIENCE).toBeGreaterThan(0)
})

/** A local page without access to other hosts. */
async function newPage(name: keyof typeof PAGES, script = ''): Promise<{ page: Page; events: string[] }> {
  const context = await open.browser.newContext({ locale: 'en-US' })
  onTestFinished(() => context.close())
  const page = await context.newPage()
  page.setDefaultTimeout(PATIENCE.timeout)
  const events: string[] = []
  const strangers: string[] = []
  await context.route(isForeign, (route) => {
    strangers.push(route.request().url())
    return route.abort()
  })
  page.on('websocket', (socket) => isForeign(new URL(socket.url())) && strangers.push(socket.url()))
  onTestFinished(() => expect(strangers).toEqual([]))
  await page.exposeFunction('tell', (line: string) => void events.push(line))
  await page.addInitScript(script)
  await page.goto(`${open.pagesUrl}/${name}`)
  return { page, events }
}

const isForeign = ({ protocol, hostname }: URL) => /^(http|ws)/.test(protocol) && hostname !== '127.0.0.1'

async function openServers() {
  const database = await freshDatabase()
  closing.push(database.drop)
  const speech = openSpeech({ onError: () => undefined })
  const logger = pino({ level: 'silent' })
  const voice = await startVoice({
    databaseUrl: database.databaseUrl,
    port: 0,
    apiKey: API_KEY,
    logger,
    speech,
  })
  closing.push(() => voice.stop())
  const spoken = await createGardenAgent(voice, { notes: [NOTE] })
  closing.push(spoken.stop)
  const typed = await createGardenAgent(voice, { notes: [NOTE], isTextOnly: true })
  closing.push(typed.stop)
  const agents = { spoken, typed }

  await speech.warmUp()
  const folder = await mkdtemp(join(tmpdir(), 'parley-microphone-'))
  closing.push(() => rm(folder, { recursive: true }))
  const browser = await openBrowserWithMicrophone(folder, {
    question: QUESTION,
    secondsBefore: 1,
    secondsAfter: 2,
    isRepeated: true,
  })
  closing.push(() => browser.close())

  const { conversationalAi } = createVendorClient(voice)
  return {
    browser,
    pagesUrl: await servePages(),
    async signedUrl(kind: keyof typeof agents) {
      const { agentId } = agents[kind]
      return (await conversationalAi.conversations.getSignedUrl({ agentId })).signedUrl
    },
    async widgetConfig() {
      const response = await fetch(`${voice.url}/v1/convai/agents/${typed.agentId}/widget`)
      return ((await response.json()) as { readonly widget_config: unknown }).widget_config
    },
  }
}

/** Bundles the vendor's package into the script of a page. */
async function servePages(): Promise<string> {
  const scripts = new Map<string, string>()
  for (const [name, url] of Object.entries(PAGES)) {
    const { outputFiles } = await build({
      entryPoints: [fileURLToPath(url)],
      bundle: true,
      write: false,
      define: { 'process.env.NODE_ENV': '"production"' },
    })
    scripts.set(`/${name}`, outputFiles[0]?.text ?? '')
  }
  const server = createServer((request, response) => {
    const script = scripts.get(request.url ?? '')
    if (script === undefined) return response.writeHead(404).end()
    response.setHeader('content-type', 'text/html; charset=utf-8')
    return response.end(
      `<!doctype html><body></body><script>${script.replaceAll('</script', '<\\/script')}</script>`,
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  closing.push(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
