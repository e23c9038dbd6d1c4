import { once } from 'node:events'
import { connect } from 'node:net'
import { setInterval, setTimeout as pause } from 'node:timers/promises'
import { OpenAPIHono } from '@hono/zod-openapi'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { ApiEnv } from './api-env.ts'
import { listen } from './listen.ts'

interface Source {
  pull(controller: ReadableStreamDefaultController<Uint8Array>): void
  cancel?(): void
}

/** Serves one event stream; returns the log. */
async function serving(source: Source) {
  const failures: unknown[] = []
  const app = new OpenAPIHono<ApiEnv>()
  const headers = { 'content-type': 'text/event-stream' }
  app.get('/', () => new Response(new ReadableStream(source, { highWaterMark: 1 }), { headers }))
  const { url, ...listening } = await listen(app, 0, (failure) => failures.push(failure))
  const printed = vi.spyOn(console, 'error').mockImplementation(() => {})
  onTestFinished(async () => {
    printed.mockRestore()
    await listening.close()
  })
  return { url, failures, printed }
}

test('a stalled reader is disconnected when its stream fails, and reads nothing until then', async () => {
  const chunk = new Uint8Array(1024 * 1024)
  let asked = 0
  let stream: ReadableStreamDefaultController<Uint8Array> | undefined
  const { url, failures, printed } = await serving({
    pull(controller) {
      asked += 1
      controller.enqueue(chunk)
      stream = controller
    },
  })
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  socket.on('error', () => {})
  socket.write('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n')
  await once(socket, 'readable')
  let before = -1
  await vi.waitFor(
    () => {
      const now = asked
      const settled = now === before
      before = now
      expect(settled).toBe(true)
    },
    { timeout: 30_000, interval: 200 },
  )
  expect(asked).toBeLessThan(20)

  stream?.error(new Error('took nothing for too long'))
  await expect.poll(() => failures).toEqual([new Error('took nothing for too long')])
  socket.resume()
  await once(socket, 'close')
  expect(printed).not.toHaveBeenCalled()
})

/** Long enough for a busy machine to answer in. */
const SHORT = { headersMs: 1_000, pauseMs: 1_000 }

async function echoing() {
  const app = new OpenAPIHono<ApiEnv>()
  app.post('/', async (c) => c.text(await c.req.text()))
  app.post('/late', async (c) => {
    const text = await c.req.text()
    await pause(1.5 * SHORT.pauseMs)
    return c.text(text)
  })
  app.onError((_, c) => c.text('It did not come.'))
  const listening = await listen(app, 0, () => {}, SHORT)
  onTestFinished(() => listening.close())
  const socket = connect(Number(new URL(listening.url).port), '127.0.0.1')
  socket.on('error', () => {})
  return { url: listening.url, socket }
}

test.each([
  ['a body', 'POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100\r\n\r\n{'],
  [
    'a body of unknown length',
    'POST / HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\n1\r\n',
  ],
  ['headers', 'POST / HTTP/1.1\r\nhost: localhost\r\n'],
])('[A4] %s that does not end is disconnected', async (_, sent) => {
  const { url, socket } = await echoing()
  socket.resume().write(sent)
  await once(socket, 'close')
  expect(await (await fetch(url, { method: 'POST', body: 'Hello' })).text()).toBe('Hello')
})

test('[A4] a complete request may wait for its response without limit', async () => {
  const { url } = await echoing()
  expect(await (await fetch(`${url}/late`, { method: 'POST', body: 'Hello' })).text()).toBe('Hello')
})

test('[A4] a slow body is accepted, however long it takes', async () => {
  const { socket } = await echoing()
  socket.write('POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: 10\r\n\r\n')
  const answered = once(socket, 'data')
  let sent = 0
  for await (const body of setInterval(SHORT.pauseMs / 6, '0123456789')) {
    socket.write(body.charAt(sent))
    sent += 1
    if (sent === body.length) break
  }
  const [answer] = (await answered) as [Buffer]
  expect(answer.toString()).toContain('0123456789')
})

test('a stream that ends, or whose reader leaves, is not reported', async () => {
  let left = false
  const ending = await serving({
    pull(controller) {
      controller.enqueue(new TextEncoder().encode('data: 1\n\n'))
      controller.close()
    },
  })
  expect(await (await fetch(ending.url)).text()).toBe('data: 1\n\n')
  const endless = await serving({
    pull: (controller) => controller.enqueue(new TextEncoder().encode('data: 1\n\n')),
    cancel() {
      left = true
    },
  })
  const reader = (await fetch(endless.url)).body?.getReader()
  await reader?.read()
  await reader?.cancel()
  await expect.poll(() => left).toBe(true)
  expect([ending.failures, endless.failures]).toEqual([[], []])
})
