import { once } from 'node:events'
import { connect } from 'node:net'
import { OpenAPIHono } from '@hono/zod-openapi'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { ApiEnv } from './api.ts'
import { listen } from './listen.ts'

interface Source {
  pull(controller: ReadableStreamDefaultController<Uint8Array>): void
  cancel?(): void
}

/** Serves one event stream; tells what was said of it. */
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

test('a reader that stalled is cut off when its stream gives up, and takes no more until then', async () => {
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
    { timeout: 10_000, interval: 200 },
  )
  expect(asked).toBeLessThan(20)

  stream?.error(new Error('took nothing for too long'))
  await expect.poll(() => failures).toEqual([new Error('took nothing for too long')])
  socket.resume()
  await once(socket, 'close')
  expect(printed).not.toHaveBeenCalled()
})

test('a stream that ends well, or whose reader leaves, is no failure', async () => {
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
