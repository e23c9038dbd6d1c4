/** Waits until the test run that started it has ended, and then removes the run's server and folder. */
import { finished } from 'node:stream/promises'
import { removeRunFolder } from './test-server.ts'

await finished(process.stdin.resume(), { writable: false })
await removeRunFolder(process.argv[2] ?? '')
