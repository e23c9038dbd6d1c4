import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Browser, chromium } from 'playwright-core'

const QUIET = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** The machine's Chromium where there is one, else the one that comes from npm. */
export async function openBrowser(...more: readonly string[]): Promise<Browser> {
  const installed = NAMES.flatMap((name) => folders().map((folder) => join(folder, name))).find(existsSync)
  const { executablePath, env } = installed ? { executablePath: installed, env: {} } : await unpacked()
  return chromium.launch({ executablePath, args: [...QUIET, ...more], env: { ...process.env, ...env } })
}

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

const folders = () => (process.env['PATH'] ?? '').split(delimiter)

const CACHE = fileURLToPath(new URL('../../node_modules/.cache/chromium', import.meta.url))

/** The file that comes along names folders of Amazon's machines, and without fonts no text is drawn at all. */
const FONTS = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${join(CACHE, 'fonts')}</dir>
  <cachedir>${join(CACHE, 'fonts-cache')}</cachedir>
</fontconfig>
`

/** The package unpacks into the temporary folder of the process, and only on Amazon's machines the libraries too. */
async function unpacked() {
  await mkdir(CACHE, { recursive: true })
  const before = process.env['TMPDIR']
  process.env['TMPDIR'] = CACHE
  try {
    const { default: packed, inflate } = await import('@sparticuz/chromium')
    const bin = join(dirname(createRequire(import.meta.url).resolve('@sparticuz/chromium')), '..', 'bin')
    await inflate(join(bin, 'al2023.tar.br'))
    const executablePath = await packed.executablePath()
    const fonts = join(CACHE, 'fonts.conf')
    await writeFile(fonts, FONTS)
    return {
      executablePath,
      env: { LD_LIBRARY_PATH: join(CACHE, 'al2023', 'lib'), FONTCONFIG_FILE: fonts },
    }
  } finally {
    if (before === undefined) delete process.env['TMPDIR']
    else process.env['TMPDIR'] = before
  }
}
