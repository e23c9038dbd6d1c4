import type { Context } from 'hono'
import { z } from 'zod'
import type { ProviderPage } from '@parley/postgres'
import { RequestRefusal, UnprocessableRequest } from './refusal.ts'
import type { RestEnv } from './rest-env.ts'

/** More than any agent needs. */
const MAX_BODY_BYTES = 5 * 1024 * 1024

/** Reads and validates the body. */
export async function readBody<Schema extends z.ZodType>(
  c: Context<RestEnv>,
  schema: Schema,
): Promise<z.output<Schema>> {
  const input = await readJson(c)
  const parsed = schema.safeParse(input)
  if (parsed.success) return parsed.data
  throw UnprocessableRequest.fromIssues('body', parsed.error.issues, input)
}

export function readQuery<Schema extends z.ZodType>(c: Context<RestEnv>, schema: Schema): z.output<Schema> {
  const lists = c.req.queries()
  const input = Object.fromEntries(
    Object.entries(lists).map(([name, values]) => [name, values.length > 1 ? values : values[0]]),
  )
  if (!isStorable(input, 0)) throw createNotStorableError('query')
  const parsed = schema.safeParse(input)
  if (parsed.success) return parsed.data
  throw UnprocessableRequest.fromIssues('query', parsed.error.issues, input)
}

/** Reads JSON that can be stored. An empty body counts as {}. */
async function readJson(c: Context<RestEnv>): Promise<unknown> {
  const text = await c.req.text()
  if (text.length > MAX_BODY_BYTES) {
    throw new RequestRefusal('payload_too_large', `A body can have at most ${MAX_BODY_BYTES} bytes.`)
  }
  const input = text === '' ? {} : parseBody(text)
  if (isStorable(input, 0)) return input
  throw createNotStorableError('body')
}

const createNotStorableError = (place: 'body' | 'query') =>
  new UnprocessableRequest([
    {
      type: 'value_error',
      loc: [place],
      msg: `The body may contain no U+0000, no half of a surrogate pair, and at most ${MAX_DEPTH} levels.`,
      input: undefined,
    },
  ])

function parseBody(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    const msg = `JSON decode error, ${String(cause)}`
    throw new UnprocessableRequest([{ type: 'json_invalid', loc: ['body'], msg, input: undefined }])
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

/** Query of a paged list. */
export const VendorPageQuery = z.object({
  page_size: z.coerce.number().int().min(1).max(100).default(30),
  cursor: z.string().optional(),
  search: z.string().optional(),
  sort_direction: z.enum(['asc', 'desc']).default('desc'),
})

export const toPage = ({ page_size, cursor, search, sort_direction }: z.infer<typeof VendorPageQuery>) => ({
  limit: page_size,
  direction: sort_direction,
  ...(cursor !== undefined && { cursor }),
  ...(search !== undefined && search !== '' && { search }),
})

/** Paging fields of every list. */
export const pagingFields = ({ nextCursor }: ProviderPage<unknown>) => ({
  has_more: nextCursor !== undefined,
  next_cursor: nextCursor ?? null,
})
