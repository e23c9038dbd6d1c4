import { freshDatabase } from '@parley/postgres/testing'
import { readUntil, startParley, whenEnded } from './parley-process.ts'

/** `parley up` without the demo, once it is ready, on a database of the tests' common server: to make one takes seconds. */
export async function runningServer(at: { readonly home: string }) {
  const { databaseUrl, drop } = await freshDatabase()
  const child = startParley(['up'], {
    ...at,
    environment: { PARLEY_PORT: '0', PARLEY_VOICE_PORT: '0', PARLEY_DEMO: '0', DATABASE_URL: databaseUrl },
  })
  const ended = whenEnded(child)
  const [, ready = ''] = /\nready (.*)\n/.exec(await readUntil(child.stdout, /\nready .*\n/)) ?? []
  child.stdout.resume()
  return {
    ready: JSON.parse(ready) as { readonly url: string; readonly token: string },
    async stop() {
      child.kill('SIGINT')
      await ended
      await drop()
    },
  }
}
