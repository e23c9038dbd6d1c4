import type { ToolText } from '@parley/engine'
import { htmlText } from './html-text.ts'
import type { HttpLimits } from './http-limits.ts'
import { readBounded } from './read-bounded.ts'

/** What an answer says, if it is of a kind that a model can read: its status, then its text or picture. */
export async function readAnswer(
  response: Response,
  { url, method }: Asked,
  limits: Pick<HttpLimits, 'textBytes' | 'mediaBytes'>,
): Promise<ToolText> {
  const given = response.headers.get('content-type') ?? ''
  const type = given.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  const head = headOf(response, given, { url, method })
  if (method === 'HEAD' || response.body === null) return { kind: 'ok', text: head }

  const signature = MEDIA.get(type)
  if (!signature && !isText(type)) {
    await response.body.cancel()
    return failed(
      `${head}\n\nThis is of the type ${type}, which cannot be read here: text, pictures and PDF can.`,
    )
  }
  const most = signature ? limits.mediaBytes : limits.textBytes
  const read = await readBounded(response, most)
  if (read.kind === 'too-large')
    return failed(
      `${head}\n\nThe body is larger than ${most} bytes. Ask for less, such as one page or a range.`,
    )
  const { bytes } = read
  if (bytes.byteLength === 0) return { kind: 'ok', text: head }
  if (signature) {
    if (!signature.test(Buffer.from(bytes.subarray(0, 16)).toString('latin1')))
      return failed(`${head}\n\nThe body is said to be ${type}, but is not.`)
    return { kind: 'ok', text: head, media: [{ mediaType: type, bytes }] }
  }
  const text = decoded(bytes, given)
  if (text.includes('\0')) return failed(`${head}\n\nThe body is said to be text, but is not.`)
  return { kind: 'ok', text: `${head}\n\n${HTML.test(type) ? htmlText(text, response.url) : text}` }
}

interface Asked {
  readonly url: string
  readonly method: string
}

const failed = (text: string): ToolText => ({ kind: 'failed', code: 'tool_failed', text })

function headOf({ status, statusText, headers, url }: Response, type: string, asked: Asked): string {
  const lines = [`HTTP ${status} ${statusText}`.trim()]
  if (url !== asked.url) lines.push(`redirected to: ${url}`)
  if (asked.method === 'HEAD')
    return [...lines, ...[...headers].filter(isTold).map(([name, value]) => `${name}: ${value}`)].join('\n')
  if (type !== '') lines.push(`content-type: ${type}`)
  return lines.join('\n')
}

/** A cookie is a credential, and not for a model. */
const isTold = ([name]: readonly [string, string]): boolean => name !== 'set-cookie'

/** How the media that are let through begin, so that a type is not only claimed. */
const MEDIA: ReadonlyMap<string, RegExp> = new Map([
  ['image/png', /^\x89PNG\r\n[^]\n/],
  ['image/jpeg', /^\xff\xd8\xff/],
  ['image/gif', /^GIF8[79]a/],
  ['image/webp', /^RIFF[^]{4}WEBP/],
  ['application/pdf', /^%PDF-/],
])

const HTML = /^(text\/html|application\/xhtml\+xml)$/

/** What says nothing of itself is taken for text, and must be it. */
const isText = (type: string): boolean =>
  type === '' ||
  /^text\/|\+(json|xml|yaml)$/.test(type) ||
  /^application\/(json|xml|csv|javascript|ecmascript|x-javascript|x-ndjson|jsonl|yaml|x-yaml|toml|graphql|sql|x-sh)$/.test(
    type,
  )

function decoded(bytes: Uint8Array, type: string): string {
  const charset = /charset\s?=\s?"?([^\s;"]+)/i.exec(type)?.[1] ?? declaredIn(bytes) ?? 'utf-8'
  try {
    return new TextDecoder(charset).decode(bytes)
  } catch {
    return new TextDecoder().decode(bytes)
  }
}

/** A page may name its charset near its top. */
const declaredIn = (bytes: Uint8Array): string | undefined =>
  /<meta[^>]{1,200}charset\s?=\s?["']?([\w-]+)/i.exec(
    Buffer.from(bytes.subarray(0, 1_024)).toString('latin1'),
  )?.[1]
