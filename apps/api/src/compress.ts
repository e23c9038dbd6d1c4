import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Context, MiddlewareHandler } from 'hono'
import { parseAccept } from 'hono/utils/accept'
import type { ApiEnv } from './api-env.ts'

type Bytes = Uint8Array<ArrayBuffer>
type Encoding = 'br' | 'gzip'

/** Higher qualities of brotli take ten times as long for a twentieth less. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }

const COMPRESS: Readonly<Record<Encoding, (bytes: Bytes) => Promise<Buffer>>> = {
  br: (bytes) => promisify(brotliCompress)(bytes, BROTLI),
  gzip: (bytes) => promisify(gzip)(bytes),
}

/** Shorter texts fit into one packet as they are. */
const SHORTEST = 1024

/** The encoding to compress a text with, if the caller accepts one. */
export function chooseEncoding(c: Context, bytes: Bytes): Encoding | undefined {
  if (bytes.length < SHORTEST) return undefined
  const accepted = parseAccept(c.req.header('accept-encoding') ?? '')
  return (['br', 'gzip'] as const).find((encoding) =>
    accepted.some(({ type, q }) => type.toLowerCase() === encoding && q > 0),
  )
}

export const compress = async (bytes: Bytes, encoding: Encoding): Promise<Bytes> =>
  new Uint8Array(await COMPRESS[encoding](bytes))

/**
 * Compresses long JSON of GET requests. Other responses may hold a new token beside text of the caller, and the compressed
 * length would reveal how similar they are. Events are not compressed, so that none waits for another.
 */
export const compressJson: MiddlewareHandler<ApiEnv> = async (c, next) => {
  await next()
  const isJson = c.res.headers.get('content-type')?.startsWith('application/json') === true
  if (c.req.method !== 'GET' || !isJson) return
  c.header('vary', 'Accept-Encoding', { append: true })
  const bytes = new Uint8Array(await c.res.arrayBuffer())
  const encoding = chooseEncoding(c, bytes)
  c.res = new Response(encoding ? await compress(bytes, encoding) : bytes, c.res)
  if (encoding) c.header('content-encoding', encoding)
}
