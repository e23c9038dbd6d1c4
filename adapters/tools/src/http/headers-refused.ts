/** Why headers that a model wrote may not be sent; undefined where they may. */
export function headersRefused(headers: Readonly<Record<string, string>>): string | undefined {
  const entries = Object.entries(headers)
  if (entries.length > MOST) return `There may be ${MOST} headers at most.`
  for (const [name, value] of entries) {
    if (!TOKEN.test(name)) return `${JSON.stringify(name)} is not a header name.`
    if (!VALUE.test(value))
      return `The value of the header ${name} may hold only printable characters of Latin-1.`
    const lower = name.toLowerCase()
    if (NOT_THE_MODELS.has(lower) || NOT_ITS_KIND.test(lower))
      return `The header ${name} is not yours to set; leave it out.`
  }
  return undefined
}

const MOST = 50
const TOKEN = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/
const VALUE = /^[\x20-\x7e\xa0-\xff]*$/

/** They steer the connection, or turn a request into another than the person sees. */
const NOT_THE_MODELS: ReadonlySet<string> = new Set([
  'accept-encoding',
  'connection',
  'content-encoding',
  'content-length',
  'expect',
  'host',
  'http2-settings',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'via',
])
const NOT_ITS_KIND = /^(proxy-|sec-|x-forwarded-|x-original-|x-rewrite-)|^forwarded$|method/
