import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/** Unpacks Chromium into the temporary folder (`TMPDIR`), as the package always does. */
const { default: packed, inflate } = await import('@sparticuz/chromium')
// The package unpacks these libraries by itself only on AWS.
const bin = join(dirname(createRequire(import.meta.url).resolve('@sparticuz/chromium')), '..', 'bin')
await inflate(join(bin, 'al2023.tar.br'))
await packed.executablePath()
