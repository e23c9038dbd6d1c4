import { rules } from '@secretlint/secretlint-rule-preset-recommend'
import {
  assert,
  base64String,
  constantFrom,
  lorem,
  oneof,
  property,
  string,
  stringMatching,
  uuid,
} from 'fast-check'
import { expect, test } from 'vitest'
import { findSecret, findSecretsIn, writePath } from './index.ts'

const MIXED = 'mAdE0Up1ForThe2Test3Only4NotReal5'
const LONG = MIXED.repeat(5)
const HEX = '0123456789abcdef'.repeat(5)

test.each([
  [`sk-ant-api03-${MIXED}`, 'an Anthropic API key'],
  [`sk-${MIXED}`, 'an OpenAI API key'],
  [`sk-proj-${MIXED}_${MIXED}`, 'an OpenAI API key'],
  [`sk_live_${MIXED}`, 'a Stripe key'],
  [`AIza${MIXED}ab`, 'a Google API key'],
  [`ghp_${MIXED}abcd`, 'a GitHub token'],
  [`github_pat_11AAAA_${MIXED}${MIXED}`, 'a GitHub token'],
  [`hf_${'madeUpForTheTest'.repeat(2)}ab`, 'a Hugging Face token'],
  [`npm_${MIXED}abc`, 'an npm token'],
  [`glpat-${MIXED}`, 'a GitLab token'],
  ['xoxb-123456789012-madeUpForTheTest', 'a Slack token'],
  ['AKIAMADEUPFORTEST123', 'an AWS access key'],
  ['eyJhbGciOiJub25lIn0.eyJzdWIiOiJtYWRlLXVwIn0.bWFkZS11cC1zaWduYXR1cmU', 'a JSON Web Token'],
  ['-----BEGIN OPENSSH PRIVATE KEY-----\nbWFkZSB1cA==', 'a private key'],
  ['-----BEGIN PRIVATE KEY-----', 'a private key'],
  [`Authorization: Bearer ${MIXED}`, 'a bearer token'],
  ['postgres://ada:made-up@db.example.org/x', 'a password in a URL'],
  [`header=Bearer ${MIXED.slice(0, 18)}`, 'a bearer token'],
  [`api_key=${MIXED}`, 'a key or password'],
  [`openai_key=${MIXED}`, 'a key or password'],
  [`openaiKey=${MIXED}`, 'a key or password'],
  ['key=0123456789abcdef0123456789abcdef', 'a key or password'],
  ['auth=bWFkZTp1cCtmb3I/dGhlL3Rlc3Q0Mg==', 'a key or password'],
  [`db.pwd=${MIXED}`, 'a password'],
  [`"access_token": "${MIXED}"`, 'a key or password'],
  ['MY_SECRET=0123456789abcdef0123456789abcdef', 'a key or password'],
  [`sk_${HEX.slice(0, 48)}`, 'an ElevenLabs API key'],
  [`xi-api-key: sk_${HEX.slice(0, 48)}`, 'an ElevenLabs API key'],
  [`gsk_${LONG.slice(0, 52)}`, 'a Groq API key'],
  [`SG.${MIXED.slice(0, 22)}.${LONG.slice(0, 43)}`, 'a SendGrid key'],
  [`1234567890:AA${MIXED}`, 'a Telegram bot token'],
  ['aws_secret_access_key=mAdE/Up1ForThe/2Test3Only/4NotReal5/Or67', 'an AWS secret key'],
  ['"AwsSecretAccessKey": "mAdE/Up1ForThe/2Test3Only/4NotReal5/Or67"', 'an AWS secret key'],
  [`AccountName=made;AccountKey=${LONG.slice(0, 86)}==;`, 'an Azure key'],
  [`Endpoint=sb://made-up/;SharedAccessKey=${LONG.slice(0, 43)}=`, 'an Azure key'],
  [`client: abc8Q~${MIXED.slice(0, 31)}`, 'an Azure key'],
  [`AZURE_OPENAI_KEY=${HEX.slice(0, 32)}`, 'an Azure key'],
  ['password=hunter2', 'a password'],
  ['host=db user=ada password=made-up-42 dbname=x', 'a password'],
  ['PGPASSWORD=swordfish psql -h db', 'a password'],
  ['export MYSQL_ROOT_PASSWORD="swordfish"', 'a password'],
  [`in the middle of a line sk-ant-api03-${MIXED}, and on`, 'an Anthropic API key'],
])('[S9] %s is %s', (text, kind) => {
  expect(findSecret(text)).toBe(kind)
})

test.each([
  'Please put the key into the token field; the secret is patience.',
  'the secret: a-long-walk-in-the-woods',
  'token: string, api_key: string',
  'max_tokens=100000 and token_count = 123456789012345',
  'api_key=$ANTHROPIC_API_KEY',
  'key=the-letter-a-on-the-keyboard',
  'monkey=da39a3ee5e6b4b0d3255bfef95601890afd80709',
  'the key=da39a3ee5e6b4b0d3255bfef95601890afd80709 of the commit',
  'npm_config_user_agent and hf_transformers_cache',
  'apiKey: process.env.OPENAI_API_KEY1',
  'token={{ctx.variables.token1234567}}',
  'password=xxxxxxxxxxxxxxxx',
  'secret: docs/2024/notes-v2-final.md',
  'token=/home/ada/.config/token1234/file',
  '/home/ada/projects/sk-learn-examples-for-beginners/notebook-2.ipynb',
  'sk-loading-indicator-with-animation-2024',
  'da39a3ee5e6b4b0d3255bfef95601890afd80709',
  'refs/heads/feature/PAR-1234-token-refresh-2',
  'sha256-e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  'git@github.com:ada/engine.git',
  'https://example.org/a?b=c#d',
  '550e8400-e29b-41d4-a716-446655440000',
  'eyJhbGciOiJub25lIn0',
  'AKIA is how such keys begin',
  '-----BEGIN CERTIFICATE-----',
  'set password=<yours> and try again',
  'password=${NAME} PGPASSWORD=$PGPASSWORD password={{secrets.DB}}',
  'DB_PASSWORD=${{ secrets.DB_PASSWORD }}',
  'password=your-password-1, password=changeme, password=xxxxxx, password=********, password=...',
  'The password=password123 of the tutorial is only an example.',
  'password=args.password passwd=os.environ["PGPASSWORD"] pwd=$(cat file1)',
  'PASSWORD=None, PASSWORD=null, DB_PASSWORD=:password, MY_PASSWORD=',
  'PASSWORD_FILE=/run/secrets/password1',
  'Your password must have 12 characters; a passphrase is better. Password: required',
  'Use the passwords of 1Password. The password is=not here',
  'OLDPWD=/home/ada/notes2 PWD=/home/ada/notes2',
  'aws_secret_access_key=${AWS_SECRET_ACCESS_KEY}',
  'aws_secret_access_key = <40 characters>',
  'The aws_key_pair_name is set.',
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'Call MyVeryLongNotificationServer.method.anotherVeryLongMethodNameHere instead.',
  'Meet at 12345678:AAAAA, version 1.2.3:beta',
  'gsk_size and sk_buff are names in the kernel; SG.Maintenance.Window is a label',
  'api_key_env = "OPENAI_API_KEY_2"',
  '',
])('[S9] %s holds no secret', (text) => {
  expect(findSecret(text)).toBeUndefined()
})

test('[S9] a key is found anywhere in a text', () => {
  const key = stringMatching(/^(sk-ant-api03-|ghp_)[A-Za-z0-9]{40}$/)
  assert(
    property(lorem(), key, constantFrom(' ', '\n', '"', '='), (prose, secret, between) => {
      expect(findSecret(`${prose}${between}${secret}${between}${prose}`)).toBeDefined()
    }),
  )
})

test('[S9] the name of a secret never contains the secret', () => {
  assert(
    property(stringMatching(/^[A-Za-z0-9]{40}$/), (value) => {
      expect(findSecret(`sk-ant-${value}`)).not.toContain(value)
    }),
  )
})

test('[S9] prose, hashes, ids and encoded bytes hold no secret', () => {
  const harmless = oneof(
    lorem({ maxCount: 30 }),
    stringMatching(/^commit [0-9a-f]{40}$/),
    stringMatching(/^sha256:[0-9a-f]{64}$/),
    uuid(),
    base64String({ maxLength: 400 }),
    base64String({ maxLength: 400 }).map((bytes) => `data:image/png;base64,${bytes}`),
  )
  assert(
    property(harmless, (text) => {
      expect(findSecret(text)).toBeUndefined()
    }),
  )
})

test('[S9] the search time grows linearly with the length of the text', () => {
  const began = process.cpuUsage()
  for (const piece of [
    'eyJ-',
    'token',
    'sk-',
    'a:',
    'secret=a1',
    'Bearer ',
    '://:',
    'password=',
    'A',
    'AWS',
    'SG.a',
    '1:AA',
  ]) {
    findSecret(piece.repeat(100_000 / piece.length))
  }
  assert(property(string({ maxLength: 500 }), (text) => void findSecret(text)))
  // The CPU time of this process, whatever else the machine does.
  expect(process.cpuUsage(began).user).toBeLessThan(10_000_000)
})

/** A text that secretlint reports, for each of its recommended rules. */
const SECRETLINT: Readonly<Record<string, string>> = {
  '1password': `ops_${btoa(`{"madeUp":"${'x'.repeat(90)}"}`)}`,
  anthropic: `sk-ant-api03-${LONG.slice(0, 91)}AA`,
  aws: 'AWS_SECRET_ACCESS_KEY=mAdE/Up1ForThe/2Test3Only/4NotReal5/Or67',
  basicauth: 'https://ada:made-up-42@example.org',
  cloudflare: `cfut_${LONG.slice(0, 40)}${HEX.slice(0, 8)}`,
  'database-connection-string': 'postgresql://ada:made-up-42@db.internal.org:5432/letters',
  databricks: `dapi${HEX.slice(0, 32)}`,
  docker: `dckr_pat_${LONG.slice(0, 27)}`,
  figma: `figd_${LONG.slice(0, 40)}`,
  github: `ghp_${LONG.slice(0, 36)}`,
  gitlab: `glpat-${LONG.slice(0, 20)}`,
  grafana: `glsa_${LONG.slice(0, 32)}_${HEX.slice(0, 8)}`,
  groq: `gsk_${LONG.slice(0, 52)}`,
  'hashicorp-vault': `hvs.${LONG.slice(0, 95)}`,
  huggingface: `hf_${'madeUpForTheTest'.repeat(2)}ab`,
  linear: `lin_api_${LONG.slice(0, 40)}`,
  notion: `ntn_12345678901${LONG.slice(0, 35)}`,
  npm: `npm_${LONG.slice(0, 36)}`,
  openai: `sk-${LONG.slice(0, 20)}T3BlbkFJ${LONG.slice(0, 20)}`,
  privatekey: `-----BEGIN PRIVATE KEY-----\nMI${LONG}\n-----END PRIVATE KEY-----`,
  sendgrid: `SG.${MIXED.slice(0, 22)}.${LONG.slice(0, 43)}`,
  shopify: `shpat_${HEX.slice(0, 32)}`,
  slack: `xapp-1-A0123456789-1234567890123-${HEX.slice(0, 40)}`,
  stripe: `sk_test_${LONG.slice(0, 24)}`,
  tailscale: `tskey-auth-${MIXED.slice(0, 17)}-${MIXED.slice(0, 32)}`,
  vercel: `vcp_${LONG.slice(0, 56)}`,
}

/** Rules that read files, or find nothing by themselves. */
const NOT_FOR_TEXTS = ['gcp', 'filter-comments']

interface Rule {
  readonly meta: { readonly id: string }
  create(context: object, options: object): { file(source: object): void | Promise<void> }
}

const rulesByName = new Map(
  (rules as unknown as readonly Rule[]).map((rule) => [
    rule.meta.id.replace('@secretlint/secretlint-rule-', ''),
    rule,
  ]),
)

test('[S13] there is an example for every rule that secretlint recommends', () => {
  expect([...Object.keys(SECRETLINT), ...NOT_FOR_TEXTS].toSorted()).toEqual(
    [...rulesByName.keys()].toSorted(),
  )
})

test.each(Object.entries(SECRETLINT))(
  '[S13] a text that the secretlint rule %s reports is found',
  async (name, text) => {
    const reported: unknown[] = []
    const context = { createTranslator: () => () => ({}), report: (found: unknown) => reported.push(found) }
    const source = { content: text, filePath: 'made-up.txt', ext: '.txt', contentType: 'text' }
    await rulesByName.get(name)?.create(context, {}).file(source)
    expect(reported).not.toEqual([])
    expect(findSecret(text)).toBeDefined()
  },
)

test('[S9] secrets are found at any depth of a value, by their keys too, with their paths', () => {
  const key = `sk-ant-api03-${MIXED}`
  const value = {
    description: `Use ${key}.`,
    memory: { notes: [{ text: 'fine' }, { deep: { db_password: 'swordfish' } }] },
    mcp_servers: [{ env: { API_TOKEN: MIXED, HOME: '{{secrets.X}}' } }],
    [key]: 'as a name',
    input_schema: { properties: { password: { type: 'string', description: 'The password.' } } },
    required: ['password'],
    api_key_env: 'MY_API_KEY',
    temperature: 1,
    nothing: null,
  }
  expect(findSecretsIn(value).map(({ path, kind }) => [writePath(path), kind])).toEqual([
    ['description', 'an Anthropic API key'],
    ['memory.notes[1].deep.db_password', 'a password'],
    ['mcp_servers[0].env.API_TOKEN', 'a key or password'],
    ['(a key that looks like a secret)', 'an Anthropic API key'],
  ])
})

test.each([
  [['--api-key', 'hG7kP2vQ9xN4mR8tY1wL6sD3fJ5bC0zA'], 'a key or password'],
  [['server.js', '--openaiKey', MIXED, '--verbose'], 'a key or password'],
  [['--password', 'Tr0ub4dor9xx'], 'a key or password'],
  [['--db-password', 'swordfish'], 'a password'],
  [['-token', MIXED], 'a key or password'],
  [['--auth', MIXED], 'a key or password'],
])('[S13] the value after an option in a list is checked together with the option: %j', (args, kind) => {
  const found = findSecretsIn({ mcp_servers: [{ name: 'x', command: 'node', args }] })
  const at = args.findIndex((arg) => arg.startsWith('-')) + 1
  expect(found).toEqual([{ path: ['mcp_servers', 0, 'args', at], kind }])
})

test.each([
  [['--api-key', '${MY_API_KEY}']],
  [['--password', '{{secrets.DB_PASSWORD}}']],
  [['--api-key', '--password', '--password-stdin', '--log2-file1']],
  [['--token-limit', '4096', '--key', './certs/server-2026.key']],
  [['--password-file', '/run/secrets/db_password_1']],
  [['-y', '@modelcontextprotocol/server-filesystem@2025.11.18', '/home/ada/projects']],
  [['--model', 'claude-sonnet-4-5-20250929', '--port', '8080']],
  [['password', 'Tr0ub4dor9xx is a word of a list']],
  [['-p', 'Tr0ub4dor9xx']],
])('[S13] ordinary options in a list, and paths of secrets, hold no secret: %j', (args) => {
  expect(findSecretsIn({ args })).toEqual([])
})
