import { assert, constantFrom, lorem, oneof, property, string, stringMatching } from 'fast-check'
import { expect, test } from 'vitest'
import { findSecret } from './index.ts'

const MIXED = 'mAdE0Up1ForThe2Test3Only4NotReal5'

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
  [`db.pwd=${MIXED}`, 'a key or password'],
  [`"access_token": "${MIXED}"`, 'a key or password'],
  ['MY_SECRET=0123456789abcdef0123456789abcdef', 'a key or password'],
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
  '',
])('[S9] %s holds no secret', (text) => {
  expect(findSecret(text)).toBeUndefined()
})

test('[S9] a key is found wherever it stands in a text', () => {
  const key = stringMatching(/^(sk-ant-api03-|ghp_)[A-Za-z0-9]{40}$/)
  assert(
    property(lorem(), key, constantFrom(' ', '\n', '"', '='), (prose, secret, between) => {
      expect(findSecret(`${prose}${between}${secret}${between}${prose}`)).toBeDefined()
    }),
  )
})

test('[S9] what is told of a secret is never the secret', () => {
  assert(
    property(stringMatching(/^[A-Za-z0-9]{40}$/), (value) => {
      expect(findSecret(`sk-ant-${value}`)).not.toContain(value)
    }),
  )
})

test('[S9] prose and hashes are let through', () => {
  const harmless = oneof(lorem({ maxCount: 30 }), stringMatching(/^commit [0-9a-f]{40}$/))
  assert(
    property(harmless, (text) => {
      expect(findSecret(text)).toBeUndefined()
    }),
  )
})

test('[S9] any text is looked through in a time that grows with its length alone', () => {
  const began = performance.now()
  for (const piece of ['eyJ-', 'token', 'sk-', 'a:', 'secret=a1', 'Bearer ', '://:']) {
    findSecret(piece.repeat(100_000 / piece.length))
  }
  assert(property(string({ maxLength: 500 }), (text) => void findSecret(text)))
  expect(performance.now() - began).toBeLessThan(10_000)
})
