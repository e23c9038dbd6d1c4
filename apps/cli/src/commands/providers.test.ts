import { mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createHome, parley } from '../testing/parley-process.ts'

const KEY = 'sk-ant-api03-mAdE0Up1ForThe2Test3Only4NotReal5'

/** A provider on this machine with two models; needs a key. */
async function localProvider() {
  const server = createServer((request, response) => {
    const isKnown = request.url === '/v1/models' && request.headers.authorization === `Bearer ${KEY}`
    response.writeHead(isKnown ? 200 : 401, { 'content-type': 'application/json' })
    response.end(
      JSON.stringify(
        isKnown ? { data: [{ id: 'small' }, { id: 'large' }] } : { error: { message: 'wrong key' } },
      ),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/v1`,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
  }
}

test('[S11] providers are added, listed and removed; comments stay', async () => {
  await using at = await createHome()
  const file = join(at.home, 'config.toml')
  await writeFile(file, '# mine\n[chat]\nmax_turns = 7 # few\n')
  const args = ['add', 'local', '--kind', 'openai-compatible', '--base-url', 'http://127.0.0.1:1/v1']
  expect(await parley(['providers', ...args], at)).toEqual({
    code: 0,
    stderr: '',
    stdout: `Added to ${file}: local (openai-compatible; no key needed).
The offline model stays the default until you set default_model = "local/MODEL" under [chat] in the same file; \`parley providers models local\` lists the models.
`,
  })
  const work = await parley(['providers', 'add', 'work', '-k', 'anthropic', '-e', 'WORK_KEY'], at)
  expect(work.stdout).toContain('Put its key into the environment variable WORK_KEY')
  expect(await readFile(file, 'utf8')).toMatch(
    /^# mine\n\[chat\]\nmax_turns = 7 # few\n\n\[providers\.local\]\n/,
  )

  const { stdout } = await parley(['providers'], {
    ...at,
    environment: { OPENAI_API_KEY: KEY, WORK_KEY: KEY },
  })
  expect(stdout).toMatch(
    /^local +openai-compatible +http:\/\/127\.0\.0\.1:1\/v1 +no key needed +.*config\.toml$/m,
  )
  expect(stdout).toMatch(/^work +anthropic +default address +WORK_KEY set +/m)
  expect(stdout).toMatch(/^openai +openai +default address +OPENAI_API_KEY set +OPENAI_API_KEY$/m)
  expect(stdout).toMatch(/^offline +offline /m)
  expect(stdout).not.toContain(KEY)

  expect(await parley(['providers', 'remove', 'local'], at)).toMatchObject({ code: 0 })
  expect(await parley(['providers', 'remove', 'work'], at)).toMatchObject({ code: 0 })
  expect((await readFile(file, 'utf8')).trimEnd()).toBe('# mine\n[chat]\nmax_turns = 7 # few')
})

test.skipIf(process.platform === 'win32')(
  '[S18] a new config file is readable by its owner only',
  async () => {
    await using at = await createHome()
    await parley(['providers', 'add', 'work', '-k', 'anthropic'], at)
    expect((await stat(join(at.home, 'config.toml'))).mode & 0o777).toBe(0o600)
  },
)

test('[S11] a default model that names a removed provider is reported', async () => {
  await using at = await createHome()
  await writeFile(
    join(at.home, 'config.toml'),
    '[chat]\ndefault_model = "work/x"\n[providers.work]\nkind = "anthropic"\n',
  )
  const { code, stderr } = await parley(['providers', 'remove', 'work'], at)
  expect(code).toBe(0)
  expect(stderr).toMatch(/chat\.default_model in .*config\.toml still names it: work\/x/)
})

test.each([
  ['an existing name', ['work', '-k', 'openai'], 'The provider "work" already exists'],
  ['a reserved name', ['offline', '-k', 'openai'], '"offline" is the name'],
  [
    'a name with invalid characters',
    ['My Own', '-k', 'openai'],
    "The provider's name must be lower-case letters",
  ],
  ['no kind', ['x'], 'The option --kind must be one of anthropic'],
  ['an unknown kind', ['x', '-k', 'openia'], 'The option --kind must be one of'],
  ['no address', ['x', '-k', 'openai-compatible'], 'The option --base-url is needed'],
  ['plain http', ['x', '-k', 'openai', '-u', 'http://example.org'], 'The option --base-url must be https://'],
  ['a wrong variable', ['x', '-k', 'openai', '-e', 'MY-KEY'], 'The option --api-key-env must be the name of'],
  ['a key as variable', ['x', '-k', 'openai', '-e', KEY], 'looks like an Anthropic API key'],
  ['a key as option', ['x', '-k', 'openai', `--api-key=${KEY}`], 'looks like an Anthropic API key'],
  ['a key as argument', ['x', KEY, '-k', 'openai'], 'looks like an Anthropic API key'],
])('[S11] %s is refused and changes nothing', async (_, args, message) => {
  await using at = await createHome()
  const file = join(at.home, 'config.toml')
  await writeFile(file, '[providers.work]\nkind = "anthropic"\n')
  const { code, stdout, stderr } = await parley(['providers', 'add', ...args], at)
  expect(code).toBe(2)
  expect(stderr).toContain(message)
  expect(stdout + stderr).not.toContain(KEY)
  expect(await readFile(file, 'utf8')).toBe('[providers.work]\nkind = "anthropic"\n')
})

test('[S11] a provider is tested and its models are listed', async () => {
  await using at = await createHome()
  await using provider = await localProvider()
  const add = ['providers', 'add', 'local', '-k', 'openai-compatible', '-u', provider.url, '-e', 'LOCAL_KEY']
  await parley(add, at)
  const options = { ...at, environment: { LOCAL_KEY: KEY } }
  const tested = await parley(['providers', 'test'], options)
  expect(tested.code).toBe(0)
  expect(tested.stdout).toMatch(/^local: works; 2 models, in \d+ ms\noffline: works; 1 model, in \d+ ms\n$/)
  expect((await parley(['providers', 'models'], options)).stdout).toBe(
    'local/small\nlocal/large\noffline/offline\n',
  )
  expect((await parley(['providers', 'models', 'local'], options)).stdout).toBe('local/small\nlocal/large\n')

  const wrong = await parley(['providers', 'test', 'local', '--json'], {
    ...at,
    environment: { LOCAL_KEY: 'made-up' },
  })
  expect(wrong.code).toBe(1)
  expect(JSON.parse(wrong.stdout)).toMatchObject({
    items: [{ name: 'local', kind: 'failed', error: { code: 'provider_auth' } }],
  })
  const unknown = await parley(['providers', 'test', 'locl'], options)
  expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining('did you mean local?') })
})

test('[S13] no key is sent to an address from an untrusted project', async () => {
  await using at = await createHome()
  await using provider = await localProvider()
  const folder = join(at.home, 'project')
  await mkdir(join(folder, '.parley'), { recursive: true })
  const text = `[providers.theirs]\nkind = "openai-compatible"\nbase_url = "${provider.url}"\napi_key_env = "MY_KEY"\n`
  await writeFile(join(folder, '.parley', 'project.toml'), text)
  const options = { home: at.home, folder, environment: { MY_KEY: KEY } }
  expect(await parley(['providers', 'test', 'theirs'], options)).toMatchObject({ code: 2 })
  await parley(['trust', '--yes'], options)
  expect((await parley(['providers', 'test', 'theirs'], options)).stdout).toContain('theirs: works')
})
