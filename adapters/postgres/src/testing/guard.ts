/** Waits until the test run that started it has ended, and then removes the run's server. */
import { finished } from 'node:stream/promises'
import { removeTestServer } from './test-server.ts'

await finished(process.stdin.resume(), { writable: false })
await removeTestServer(process.argv[2] ?? '')
