import { chmod, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createHome } from '../testing/parley-process.ts'
import { createEditor } from './prompt.ts'

async function editor(home: string, script: string): Promise<string> {
  const file = join(home, 'an editor')
  await writeFile(file, `#!/bin/sh\n${script}\n`)
  await chmod(file, 0o755)
  return `'${file}' --wait`
}

test('the text is the content of the edited file, which is private and removed', async () => {
  await using at = await createHome()
  const trace = join(at.home, 'trace')
  const command = await editor(
    at.home,
    `stat -c %a "$2" > '${trace}'; echo "$2" >> '${trace}'; printf '%s, said twice\\n' "$(cat "$2")" > "$2"`,
  )
  expect(await createEditor(command)('Hello\nthere')).toEqual({
    kind: 'edited',
    text: 'Hello\nthere, said twice',
  })
  const [mode, path = ''] = (await readFile(trace, 'utf8')).split('\n')
  expect(mode).toBe('600')
  await expect(stat(path)).rejects.toMatchObject({ code: 'ENOENT' })
})

test.each([
  ['does not exist', 'no-such-editor-here', 'was not found'],
  ['fails', 'false', 'failed with code 1'],
])('an editor that %s leaves the text unchanged', async (_, command, expected) => {
  expect(await createEditor(command)('Hello')).toEqual({
    kind: 'failed',
    text: 'Hello',
    reason: expect.stringContaining(expected),
  })
})
