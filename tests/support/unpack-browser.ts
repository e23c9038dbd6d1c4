import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/** Run with the folder to unpack into as the temporary one of its process, which is where the package unpacks to. */
const { default: packed, inflate } = await import('@sparticuz/chromium')
// Its libraries come along by themselves only on Amazon's machines.
const bin = join(dirname(createRequire(import.meta.url).resolve('@sparticuz/chromium')), '..', 'bin')
await inflate(join(bin, 'al2023.tar.br'))
await packed.executablePath()
