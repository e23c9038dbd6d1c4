import { expect, test } from 'vitest'
import { toResultText } from './plan-call.ts'

type Result = Parameters<typeof toResultText>[0]

const PNG = Buffer.from('\u0089PNG\r\n\u001a\nmade up', 'latin1').toString('base64')
const SCRIPT = Buffer.from('<script>made up</script>').toString('base64')
const image = (mimeType: string, data: string): Result['content'][number] => ({
  type: 'image',
  mimeType,
  data,
})

test.each<[string, Result, object]>([
  [
    'texts are lines',
    {
      content: [
        { type: 'text', text: 'one' },
        { type: 'text', text: 'two' },
      ],
    },
    { kind: 'ok', text: 'one\ntwo', media: [] },
  ],
  [
    'structured content replaces missing text',
    { content: [], structuredContent: { a: 1 } },
    { text: '{\n  "a": 1\n}' },
  ],
  [
    'texts go before values',
    { content: [{ type: 'text', text: 'one' }], structuredContent: { a: 1 } },
    { kind: 'ok', text: 'one' },
  ],
  [
    'a picture is a medium',
    { content: [image('image/png', PNG)] },
    { text: '', media: [{ mediaType: 'image/png' }] },
  ],
  [
    'a sound is a medium',
    { content: [{ type: 'audio', mimeType: 'audio/wav', data: PNG }] },
    { text: '', media: [{ mediaType: 'audio/wav' }] },
  ],
  ['an empty result says so', { content: [] }, { kind: 'ok', text: 'It returned nothing.' }],
  [
    'an error is a failure',
    { content: [{ type: 'text', text: 'no' }], isError: true },
    { kind: 'failed', code: 'tool_failed', text: 'no' },
  ],
  ['an error without words too', { content: [], isError: true }, { kind: 'failed', code: 'tool_failed' }],
  [
    'a resource that is not text is named',
    { content: [{ type: 'resource', resource: { uri: 'made://up', blob: PNG } }] },
    { text: '[The resource made://up (of no known type) is not text.]' },
  ],
])('[S12] a result: %s', (_, result, expected) => {
  expect(toResultText(result)).toMatchObject(expected)
})

test.each([
  ['is not a picture', image('image/png', SCRIPT)],
  ['has another type', image('image/jpeg', PNG)],
  ['has an unsupported type', image('image/svg+xml', SCRIPT)],
  ['is empty', image('image/png', '')],
  ['is a document', image('application/pdf', Buffer.from('%PDF-1.7').toString('base64'))],
  ['is too large', image('image/png', PNG.padEnd(7_000_000, 'A'))],
])('[S13] attack: a picture that %s is dropped', (_, part) => {
  expect(toResultText({ content: [part] })).toMatchObject({
    media: [],
    text: expect.stringContaining('cannot be shown'),
  })
})

test('[S13] attack: an endless result is cut', () => {
  const text = 'x'.repeat(3_000_000)
  const said = toResultText({ content: [{ type: 'text', text }] })
  expect(said.text.length).toBeLessThan(2_000_100)
  expect(said.text).toMatch(/\[The rest is left out\.\]$/)
})
