import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const ASK = `
  const { osKeychain } = await import(${JSON.stringify(new URL('history-key.ts', import.meta.url))})
  const answer = await osKeychain.get('/no/such/home').catch(() => 'refused')
  console.log(String(answer))
`

test('[S16] on Linux only a keychain that survives a restart is used', async () => {
  const env = { ...process.env, DBUS_SESSION_BUS_ADDRESS: 'unix:path=/no/such/bus' }
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', ASK], { env })
  expect(stdout.trim()).toBe(process.platform === 'linux' ? 'refused' : 'undefined')
})
