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

/** Fetches without following redirects, and tells the watchdog of every byte. */
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
    return new Response(counted(response.body.getReader(), dog), { status, statusText, headers })
  }
}

function counted(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  dog: Pick<Watchdog, 'heard'>,
): ReadableStream<Uint8Array> {
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await reader.read()
      if (done) return controller.close()
      dog.heard(value.byteLength)
      return controller.enqueue(value)
    },
    cancel: (reason) => reader.cancel(reason),
  })
}
