import { expect, test } from 'vitest'
import { createDiffPreview } from './plan-change.ts'

test.each<[string, Uint8Array | undefined, Uint8Array, string, string]>([
  ['a new file', undefined, Buffer.from('x\n'), 'diff', '--- /dev/null\n+++ b/a\n@@ -0,0 +1,1 @@\n+x\n'],
  [
    'a binary that becomes text',
    Buffer.from([0, 1]),
    Buffer.from('x'),
    'text',
    'a: 2 bytes, not all of them text, are replaced by 1 bytes:\nx',
  ],
  [
    'a mark that goes',
    Buffer.from('\u{feff}x\n'),
    Buffer.from('x\n'),
    'diff',
    'a was utf-8-bom, and becomes utf-8.\n',
  ],
])('shows %s', (_, before, after, kind, text) => {
  const preview = createDiffPreview('a', before, after)
  expect(preview.kind).toBe(kind)
  expect(preview.text).toContain(text)
})

test('if too much differs, it shows the new content', () => {
  expect(createDiffPreview('a', lines('old'), lines('new')).text).toMatch(
    /^All of a is replaced by:\nnew0\nnew1\n/,
  )
})

const lines = (start: string) =>
  Buffer.from(Array.from({ length: 60_000 }, (_, at) => `${start}${at}`).join('\n'))
