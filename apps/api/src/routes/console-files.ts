import { readFile } from 'node:fs/promises'
import { extname, join, normalize } from 'node:path'
import type { Context } from 'hono'

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
}

/** Serves the built console: a file where there is one, else its page, which finds the route by itself. */
export function consoleFiles(folder: string) {
  return async (c: Context) => {
    const path = normalize(c.req.path)
    const type = TYPES[extname(path)]
    if (type) {
      const file = await contentOf(join(folder, path))
      if (!file) return c.notFound()
      const lasting = path.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache'
      return c.body(file, 200, { 'content-type': type, 'cache-control': lasting })
    }
    const page = await contentOf(join(folder, 'index.html'))
    return page ? c.body(page, 200, { ...HTML, 'cache-control': 'no-cache' }) : c.body(NOT_BUILT, 503, HTML)
  }
}

const HTML = { 'content-type': 'text/html; charset=utf-8' }

const NOT_BUILT = `<!doctype html><html lang="en"><title>Parley</title>
<p>The console is not built yet. Run <code>npm run build</code>, or <code>npm start</code>, which does it by itself.</p></html>`

async function contentOf(path: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
  try {
    return new Uint8Array(await readFile(path))
  } catch {
    return undefined
  }
}
