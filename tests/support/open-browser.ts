import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type Browser, chromium } from 'playwright-core'

const QUIET = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // One process less, and nothing is drawn that only moves: a fifth of the time.
  '--in-process-gpu',
  '--disable-site-isolation-trials',
  '--force-prefers-reduced-motion',
]

/** The machine's Chromium where there is one, else the one that comes from npm. */
export async function openBrowser(...more: readonly string[]): Promise<Browser> {
  const installed = NAMES.flatMap((name) => folders().map((folder) => join(folder, name))).find(existsSync)
  const { executablePath, env } = installed
    ? { executablePath: installed, env: {} }
    : await (unpacking ??= unpack())
  const headless = !process.env['HEADED']
  // The one from npm has no windows.
  if (!headless && !installed)
    throw new Error('A visible browser needs an installed Chromium, or unset HEADED.')
  return chromium.launch({
    executablePath,
    headless,
    // Tests send themselves interrupts; a browser whose worker is gone ends by itself.
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
    args: [...QUIET, ...more],
    env: { ...process.env, ...env },
  })
}

/** The browser of this worker, for all tests that need no other flags; it ends with the worker. */
export const sharedBrowser = (): Promise<Browser> => (shared ??= openBrowser())

let shared: Promise<Browser> | undefined

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

const folders = () => (process.env['PATH'] ?? '').split(delimiter)

const CACHE = fileURLToPath(new URL('../../node_modules/.cache/unpacked-chromium', import.meta.url))

/** The file that comes along names folders of Amazon's machines, and without fonts no text is drawn at all. */
const FONTS = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${join(CACHE, 'fonts')}</dir>
  <cachedir>${join(CACHE, 'fonts-cache')}</cachedir>
</fontconfig>
`

let unpacking: ReturnType<typeof unpack> | undefined

/**
 * Once for all browsers of this process, and for all processes: who is first unpacks it beside its place, in a process
 * of its own whose temporary folder that is, and moves all of it there at once.
 */
async function unpack() {
  if (!existsSync(CACHE)) {
    const draft = `${CACHE}-${process.pid}`
    await mkdir(draft, { recursive: true })
    const script = fileURLToPath(new URL('unpack-browser.ts', import.meta.url))
    await promisify(execFile)(process.execPath, [script], { env: { ...process.env, TMPDIR: draft } })
    await writeFile(join(draft, 'fonts.conf'), FONTS)
    await rename(draft, CACHE).catch(() => rm(draft, { recursive: true }))
  }
  const env = {
    LD_LIBRARY_PATH: join(CACHE, 'al2023', 'lib'),
    FONTCONFIG_FILE: join(CACHE, 'fonts.conf'),
  }
  return { executablePath: join(CACHE, 'chromium'), env }
}
