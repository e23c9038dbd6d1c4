import { isUtf8 } from 'node:buffer'
import { type Endpoint, MAX_SOURCE_BYTES, PlatformError } from '@parley/contracts'
import type { Context, HonoRequest, MiddlewareHandler } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import type { ApiEnv } from './api-env.ts'
import { isForm } from './read-source.ts'

/** The longest message with every character escaped. */
const MAX_BYTES = 7 * 1024 * 1024

/** The longest source, as a form or as JSON. */
export const MAX_SOURCE_BODY = MAX_SOURCE_BYTES + 1024 * 1024

/** More than any valid body has, and far below the limit of the stack. */
const MAX_DEPTH = 64

/**
 * Checks a body before it is parsed: its content type is JSON, its size and depth are limited, its bytes are UTF-8. An
 * absent or empty body is read as `{}`. Endpoints that take a file also accept a form.
 */
export const checkJsonBody: readonly MiddlewareHandler<ApiEnv>[] = [
  async (c, next) => {
    if (hasBody(c.req) && !isJson(c.req) && !isFormWithFile(c)) {
      const types = takesFile(c.get('endpoint'))
        ? 'application/json or multipart/form-data'
        : 'application/json'
      throw new PlatformError('unsupported_media_type', { message: `Send the body as ${types}.` })
    }
    return next()
  },
  (c, next) => (takesFile(c.get('endpoint')) ? limitSource(c, next) : limitJson(c, next)),
  async (c, next) => {
    if (isFormWithFile(c)) return next()
    const bytes = hasBody(c.req)
      ? new Uint8Array(await c.req.arrayBuffer().catch(refuseCutOffBody))
      : NO_BYTES
    if (bytes.length > 0) checkJsonBytes(bytes)
    else if (mayHaveBody(c.req)) {
      // Many clients send a content type even without a body.
      const headers = new Headers(c.req.raw.headers)
      headers.set('content-type', 'application/json')
      c.req.raw = new Request(c.req.raw, { method: c.req.method, headers, body: '{}' })
      c.req.bodyCache = {}
    }
    return next()
  },
]

const createBodyLimit = (maxSize: number) =>
  bodyLimit({
    maxSize,
    onError: () => {
      throw new PlatformError('payload_too_large', { message: `A body has at most ${maxSize} bytes.` })
    },
  })
const limitJson = createBodyLimit(MAX_BYTES)
const limitSource = createBodyLimit(MAX_SOURCE_BODY)

/** Whether an endpoint also accepts a file, as a form. */
export const takesFile = (endpoint: Endpoint | undefined): boolean =>
  endpoint?.request?.body?.content['multipart/form-data'] !== undefined
const isFormWithFile = (c: Context<ApiEnv>) => takesFile(c.get('endpoint')) && isForm(c.req)

const NO_BYTES = new Uint8Array()

// The same types as hono, which ignores a body of any other type.
const JSON_TYPE = /^application\/json(;\s*[a-z0-9-]+=[^;]+)*$/i

const isJson = (request: HonoRequest) => JSON_TYPE.test(request.header('content-type') ?? '')

const mayHaveBody = (request: HonoRequest) => !['GET', 'HEAD'].includes(request.method)

export const hasBody = (request: HonoRequest) =>
  mayHaveBody(request) &&
  (request.header('transfer-encoding') !== undefined || Number(request.header('content-length') ?? 0) > 0)

function checkJsonBytes(bytes: Uint8Array): void {
  // Without `fatal` invalid bytes would become U+FFFD and be stored.
  if (!isUtf8(bytes)) throw createBodyError('The body is not UTF-8 text.')
  if (isTooDeep(bytes)) throw createBodyError(`The body is nested more than ${MAX_DEPTH} deep.`)
}

/** Ignores brackets in strings. */
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

const createBodyError = (message: string) => new PlatformError('validation', { message })

const refuseCutOffBody = () => {
  throw createBodyError('The body did not arrive whole.')
}
