import { readFile } from 'node:fs/promises'
import { extname, join, normalize } from 'node:path'
import type { Context } from 'hono'
import { compress, chooseEncoding } from '../compress.ts'

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
}

/** Pictures and fonts are compressed already. */
const COMPRESSED: readonly string[] = ['.png', '.woff2']

/** Serves the built console: a file if it exists, else the page, which routes by itself. */
export function serveConsole(folder: string) {
  const compressed = new Map<string, Promise<Uint8Array<ArrayBuffer>>>()

  /** A hashed file never changes, so it is compressed once. */
  const send = async (c: Context, path: string, file: Uint8Array<ArrayBuffer>) => {
    const isHashed = path.startsWith('/assets/')
    c.header('content-type', TYPES[extname(path)] ?? '')
    c.header('cache-control', isHashed ? 'public, max-age=31536000, immutable' : 'no-cache')
    c.header('vary', 'Accept-Encoding')
    const encoding = COMPRESSED.includes(extname(path)) ? undefined : chooseEncoding(c, file)
    if (!encoding) return c.body(file)
    c.header('content-encoding', encoding)
    const key = `${encoding} ${path}`
    const body = compressed.get(key) ?? compress(file, encoding)
    if (isHashed) compressed.set(key, body)
    return c.body(await body)
  }

  return async (c: Context) => {
    const path = normalize(c.req.path)
    if (extname(path) in TYPES) {
      const file = await readContent(join(folder, path))
      return file ? send(c, path, file) : c.notFound()
    }
    const page = await readContent(join(folder, 'index.html'))
    return page ? send(c, '/index.html', page) : c.body(NOT_BUILT, 503, HTML)
  }
}

const HTML = { 'content-type': 'text/html; charset=utf-8' }

const NOT_BUILT = `<!doctype html><html lang="en"><title>Parley</title>
<p>The console is not built yet. Run <code>npm run build</code>, or <code>npm start</code>, which also builds it.</p></html>`

async function readContent(path: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
  try {
    return new Uint8Array(await readFile(path))
  } catch {
    return undefined
  }
}
