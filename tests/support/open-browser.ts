import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type Browser, chromium } from 'playwright-core'

const CHROMIUM_FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // One process less and no animations: saves four fifths of the time.
  '--in-process-gpu',
  '--disable-site-isolation-trials',
  '--force-prefers-reduced-motion',
]

/** Opens the installed Chromium, or else the one from npm. */
export async function openBrowser(...more: readonly string[]): Promise<Browser> {
  const installed = NAMES.flatMap((name) => listPathFolders().map((folder) => join(folder, name))).find(
    existsSync,
  )
  const { executablePath, env } = installed
    ? { executablePath: installed, env: {} }
    : await (unpacking ??= unpackChromium())
  const headless = !process.env['HEADED']
  // The Chromium from npm cannot show windows.
  if (!headless && !installed)
    throw new Error('A visible browser needs an installed Chromium, or unset HEADED.')
  return chromium.launch({
    executablePath,
    headless,
    // Tests send signals to themselves. The browser ends with its worker.
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
    args: [...CHROMIUM_FLAGS, ...more],
    env: { ...process.env, ...env },
  })
}

/** One browser for all tests of this worker that need no other flags. It ends with the worker. */
export const sharedBrowser = (): Promise<Browser> => (shared ??= openBrowser())

let shared: Promise<Browser> | undefined

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

const listPathFolders = () => (process.env['PATH'] ?? '').split(delimiter)

const CACHE = fileURLToPath(new URL('../../node_modules/.cache/unpacked-chromium', import.meta.url))

/** The package's own file has folders of AWS. Without fonts no text is drawn. */
const FONTS = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${join(CACHE, 'fonts')}</dir>
  <cachedir>${join(CACHE, 'fonts-cache')}</cachedir>
</fontconfig>
`

let unpacking: ReturnType<typeof unpackChromium> | undefined

/**
 * Unpacks Chromium once for all processes. The first process unpacks it into a draft folder and then renames the folder,
 * so the others never see an incomplete one.
 */
async function unpackChromium() {
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
