import type { Context } from 'hono'
import type { z } from 'zod'
import type { RestEnv } from './rest-env.ts'
import { Refusal } from './refusal.ts'
import { Unprocessable } from './unprocessable.ts'

/** More than any agent has, and little enough to hold. */
const MAX_BODY_BYTES = 5 * 1024 * 1024

/** The body, if it is as the schema says. */
export async function readBody<Schema extends z.ZodType>(
  c: Context<RestEnv>,
  schema: Schema,
): Promise<z.output<Schema>> {
  const given = await readJson(c)
  const parsed = schema.safeParse(given)
  if (parsed.success) return parsed.data
  throw Unprocessable.fromIssues('body', parsed.error.issues, given)
}

export function readQuery<Schema extends z.ZodType>(c: Context<RestEnv>, schema: Schema): z.output<Schema> {
  const lists = c.req.queries()
  const given = Object.fromEntries(
    Object.entries(lists).map(([name, values]) => [name, values.length > 1 ? values : values[0]]),
  )
  if (!isStorable(given, 0)) throw notStorable('query')
  const parsed = schema.safeParse(given)
  if (parsed.success) return parsed.data
  throw Unprocessable.fromIssues('query', parsed.error.issues, given)
}

/** Any JSON that can be kept; an empty body is one without fields. */
async function readJson(c: Context<RestEnv>): Promise<unknown> {
  const text = await c.req.text()
  if (text.length > MAX_BODY_BYTES) {
    throw new Refusal('payload_too_large', `A body has at most ${MAX_BODY_BYTES} bytes.`)
  }
  const given = text === '' ? {} : parse(text)
  if (isStorable(given, 0)) return given
  throw notStorable('body')
}

const notStorable = (place: 'body' | 'query') =>
  new Unprocessable([
    {
      type: 'value_error',
      loc: [place],
      msg: `Value error, no U+0000, no half of a surrogate pair, and at most ${MAX_DEPTH} levels`,
      input: undefined,
    },
  ])

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    const msg = `JSON decode error, ${String(cause)}`
    throw new Unprocessable([{ type: 'json_invalid', loc: ['body'], msg, input: undefined }])
  }
}

const MAX_DEPTH = 64

function isStorable(value: unknown, depth: number): boolean {
  if (depth > MAX_DEPTH) return false
  if (typeof value === 'string') return value.isWellFormed() && !value.includes('\0')
  if (typeof value !== 'object' || value === null) return true
  return Object.entries(value).every(
    ([name, inner]) => isStorable(name, depth + 1) && isStorable(inner, depth + 1),
  )
}
