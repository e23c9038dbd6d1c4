import { chmod, mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openHistory } from '@parley/history'
import { readEnvironment } from '../environment.ts'
import { readSecrets } from '../compose.ts'
import { openServerSettings } from '../config/server-settings.ts'
import { BINDING_SECRET, OWNER_TOKEN, TOOL_SECRET, VOICE_KEY, ensureSecret } from './run-file.ts'

const readMode = async (path: string) => (await stat(path)).mode & 0o777

test.each([
  ['the owner token', OWNER_TOKEN, /^parley_[\w-]{43}$/],
  ['the voice key', VOICE_KEY, /^sk_[0-9a-f]{48}$/],
])('%s is created once; if others can read its file, that is fixed and reported', async (_, secret, form) => {
  const folder = await mkdtemp(join(tmpdir(), 'parley-token-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const home = join(folder, 'home')
  const file = join(home, secret.file)
  const notices: string[] = []
  const onNotice = (notice: string) => void notices.push(notice)
  const read = () => ensureSecret(secret, { home, set: undefined, onNotice })

  const made = await read()
  expect(made).toMatch(form)
  expect([await readMode(home), await readMode(file)]).toEqual([0o700, 0o600])
  expect(await read()).toBe(made)
  expect(notices).toEqual([])

  await chmod(file, 0o644)
  expect(await read()).toBe(made)
  expect(await readMode(file)).toBe(0o600)
  expect(await read()).toBe(made)
  expect(notices).toEqual([
    expect.stringMatching(new RegExp(`^Other users could read .*${secret.file}; they no longer can`)),
  ])
  expect(await ensureSecret(secret, { home, set: 'set-by-hand', onNotice })).toBe('set-by-hand')
})

test.each([OWNER_TOKEN, VOICE_KEY, BINDING_SECRET, TOOL_SECRET])(
  '[S13] the $what is masked',
  async (secret) => {
    const home = await mkdtemp(join(tmpdir(), 'parley-token-'))
    onTestFinished(() => rm(home, { recursive: true }))
    const kept = await ensureSecret(secret, { home, set: undefined, onNotice: () => undefined })
    const key = '5'.repeat(64)
    const history = await openHistory({ home, key })
    onTestFinished(() => history.close())
    const { secrets } = await readSecrets(history, [], { home, historyKey: key })
    expect(secrets().map(({ value }) => value)).toEqual([key, kept])
  },
)

test('[S13] logs of a server are masked after its settings are closed, too', async () => {
  const home = await mkdtemp(join(tmpdir(), 'parley-token-'))
  onTestFinished(() => rm(home, { recursive: true }))
  const environment = readEnvironment({ HOME: home, PARLEY_HOME: home, PARLEY_HISTORY_KEY: '5'.repeat(64) })
  const { settings, close } = await openServerSettings(environment, () => undefined)
  close()
  expect(settings.secrets().map(({ name }) => name)).toContain('PARLEY_HISTORY_KEY')
})
