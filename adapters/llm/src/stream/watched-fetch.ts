import { UnexpectedResponseError, RedirectError } from '../failure/provider-failure.ts'
import type { Watchdog } from './watchdog.ts'

/** Fetches without redirects, rejects web pages, and reports every byte to the watchdog. */
export function createWatchedFetch(watchdog: Pick<Watchdog, 'recordBytes'>): typeof fetch {
  return async (input, init) => {
    const response = await fetch(input, { ...init, redirect: 'manual' })
    watchdog.recordBytes(0)
    if (response.status >= 300 && response.status < 400) {
      await response.body?.cancel()
      const location = response.headers.get('location') ?? ''
      throw new RedirectError(URL.parse(location, response.url)?.host ?? 'another address')
    }
    if (!response.body) return response
    const { status, statusText, headers } = response
    const reader = response.body.getReader()
    return new Response(watchBody(reader, watchdog, response.ok), { status, statusText, headers })
  }
}

function watchBody(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  watchdog: Pick<Watchdog, 'recordBytes'>,
  isSuccess: boolean,
): ReadableStream<Uint8Array> {
  let isOpening = isSuccess
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await reader.read()
      if (done) return controller.close()
      watchdog.recordBytes(value.byteLength)
      const first = isOpening ? value.find((byte) => !BLANK.includes(byte)) : undefined
      if (first === MARKUP) {
        await reader.cancel()
        throw new UnexpectedResponseError()
      }
      if (first !== undefined) isOpening = false
      return controller.enqueue(value)
    },
    cancel: (reason) => reader.cancel(reason),
  })
}

/** Neither JSON nor an event stream begins with it. The content type does not count: some servers call every response HTML. */
const [MARKUP] = Buffer.from('<')
/** White space, and the bytes of a byte order mark. */
const BLANK = Buffer.from(' \t\r\n\uFEFF')
