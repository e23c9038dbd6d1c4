import { isUtf8 } from 'node:buffer'
import { MAX_SOURCE_BYTES, PlatformError } from '@parley/contracts'
import type { Context, HonoRequest, MiddlewareHandler } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import type { ApiEnv } from './api.ts'
import { isForm } from './read-source.ts'

/** A message of the longest kind, every character escaped. */
const MAX_BYTES = 7 * 1024 * 1024

/** A source with what a form puts around it, or as JSON. */
export const MAX_SOURCE_BODY = MAX_SOURCE_BYTES + 1024 * 1024

/** More than any body of ours has, and far less than what a stack can take. */
const MAX_DEPTH = 64

/**
 * What a body has to be before anyone looks into it: JSON by its type, of a bounded size and depth, in real UTF-8.
 * Where a file may come, it may also be a form.
 */
export const jsonBody: readonly MiddlewareHandler<ApiEnv>[] = [
  async (c, next) => {
    if (hasBody(c.req) && !isJson(c.req) && !isFile(c)) {
      const types = takesFile(c) ? 'application/json or multipart/form-data' : 'application/json'
      throw new PlatformError('unsupported_media_type', { message: `Send the body as ${types}.` })
    }
    return next()
  },
  (c, next) => (takesFile(c) ? sourceLimit(c, next) : usualLimit(c, next)),
  async (c, next) => {
    if (isFile(c)) return next()
    const bytes = hasBody(c.req) ? new Uint8Array(await c.req.arrayBuffer().catch(cutOff)) : NOTHING
    if (bytes.length > 0) check(bytes)
    else if (mayHaveBody(c.req) && isJson(c.req)) {
      // Many clients name the type even where they send nothing.
      c.req.raw = new Request(c.req.raw, { method: c.req.method, body: '{}' })
      c.req.bodyCache = {}
    }
    return next()
  },
]

const limit = (maxSize: number) =>
  bodyLimit({
    maxSize,
    onError: () => {
      throw new PlatformError('payload_too_large', { message: `A body has at most ${maxSize} bytes.` })
    },
  })
const usualLimit = limit(MAX_BYTES)
const sourceLimit = limit(MAX_SOURCE_BODY)

const FILES: readonly string[] = [
  'POST /v1/reflections/{reflectionId}/sources',
  'PUT /v1/reflections/{reflectionId}/sources/{sourceId}',
]
export const takesFile = (c: Context<ApiEnv>) => FILES.includes(`${c.req.method} ${c.get('route')}`)
const isFile = (c: Context<ApiEnv>) => takesFile(c) && isForm(c.req)

const NOTHING = new Uint8Array()

// As hono's own, which takes a body of any other type for an empty one.
const JSON_TYPE = /^application\/json(;\s*[a-z0-9-]+=[^;]+)*$/i

const isJson = (request: HonoRequest) => JSON_TYPE.test(request.header('content-type') ?? '')

const mayHaveBody = (request: HonoRequest) => !['GET', 'HEAD'].includes(request.method)

export const hasBody = (request: HonoRequest) =>
  mayHaveBody(request) &&
  (request.header('transfer-encoding') !== undefined || Number(request.header('content-length') ?? 0) > 0)

function check(bytes: Uint8Array): void {
  // Without `fatal` invalid bytes would become U+FFFD and be stored.
  if (!isUtf8(bytes)) throw invalid('The body is not UTF-8 text.')
  if (isTooDeep(bytes)) throw invalid(`The body is nested more than ${MAX_DEPTH} deep.`)
}

/** Brackets in strings do not count. */
function isTooDeep(json: Uint8Array): boolean {
  let depth = 0
  let inString = false
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at]
    if (byte === QUOTE) inString = !inString
    else if (inString) at += byte === BACKSLASH ? 1 : 0
    else if (byte === OPEN_LIST || byte === OPEN_OBJECT) depth += 1
    else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) depth -= 1
    if (depth > MAX_DEPTH) return true
  }
  return false
}

const [QUOTE, BACKSLASH, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = Buffer.from('"\\[]{}')

const invalid = (message: string) => new PlatformError('validation', { message })

const cutOff = () => {
  throw invalid('The body did not arrive whole.')
}
