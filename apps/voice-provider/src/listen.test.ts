import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { listen } from './listen.ts'

test.each([
  ['a body', 'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{'],
  ['headers', 'POST / HTTP/1.1\r\nHost: localhost\r\n'],
])('[X2] %s that does not come to its end is given up', async (_, sent) => {
  const listening = await listen(async (request) => new Response(await request.text()), '127.0.0.1', 0, 100)
  onTestFinished(() => listening.close())
  const socket = connect(Number(new URL(listening.url).port), '127.0.0.1')
  socket.on('error', () => undefined)
  socket.resume().write(sent)
  await once(socket, 'close')
  const response = await fetch(listening.url, { method: 'POST', body: 'Hello' })
  expect(await response.text()).toBe('Hello')
})
