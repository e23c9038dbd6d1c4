import { ForeignAnswerError } from '../failure/failure.ts'
import type { Watchdog } from './watchdog.ts'

/** A redirect would carry the key and the conversation to where the person did not send them. */
export class RedirectError extends Error {
  override readonly name = 'RedirectError'
  readonly host: string
  constructor(host: string) {
    super('redirected')
    this.host = host
  }
}

/** Fetches without following redirects, takes no web page for an answer, and tells the watchdog of every byte. */
export function guardedFetch(dog: Pick<Watchdog, 'heard'>): typeof fetch {
  return async (input, init) => {
    const response = await fetch(input, { ...init, redirect: 'manual' })
    dog.heard(0)
    if (response.status >= 300 && response.status < 400) {
      await response.body?.cancel()
      const location = response.headers.get('location') ?? ''
      throw new RedirectError(URL.parse(location, response.url)?.host ?? 'another address')
    }
    if (!response.body) return response
    const { status, statusText, headers } = response
    const reader = response.body.getReader()
    return new Response(counted(reader, dog, response.ok), { status, statusText, headers })
  }
}

function counted(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  dog: Pick<Watchdog, 'heard'>,
  isAnswer: boolean,
): ReadableStream<Uint8Array> {
  let isOpening = isAnswer
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await reader.read()
      if (done) return controller.close()
      dog.heard(value.byteLength)
      const first = isOpening ? value.find((byte) => !BLANK.includes(byte)) : undefined
      if (first === MARKUP) {
        await reader.cancel()
        throw new ForeignAnswerError()
      }
      if (first !== undefined) isOpening = false
      return controller.enqueue(value)
    },
    cancel: (reason) => reader.cancel(reason),
  })
}

/** Neither JSON nor an event stream begins so. The type is not asked: some servers call every answer HTML. */
const [MARKUP] = Buffer.from('<')
/** White space, and the bytes of a byte order mark. */
const BLANK = Buffer.from(' \t\r\n\uFEFF')
