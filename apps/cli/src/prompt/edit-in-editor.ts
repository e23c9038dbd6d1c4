import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export type Edited =
  | { readonly kind: 'edited'; readonly text: string }
  /** The text is as it was. */
  | { readonly kind: 'failed'; readonly text: string; readonly why: string }

export type Edit = (text: string) => Promise<Edited>

const USUAL_EDITOR = 'vi'

/** Has texts changed in an editor, in a file that only this person can read and that is gone afterwards. */
export function editIn(editor = USUAL_EDITOR): Edit {
  return async (text) => {
    const folder = await mkdtemp(join(tmpdir(), 'parley-'))
    try {
      const file = join(folder, 'message.md')
      await writeFile(file, text, { mode: 0o600 })
      const failure = await run(editor, file)
      if (failure !== undefined) {
        const why = `The editor "${editor}" ${failure}; set VISUAL or EDITOR to another one.`
        return { kind: 'failed', text, why }
      }
      return { kind: 'edited', text: (await readFile(file, 'utf8')).replace(/\r?\n$/, '') }
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  }
}

/** The command may have options of its own, so a shell reads it. */
function run(editor: string, file: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const child =
      process.platform === 'win32'
        ? spawn(`${editor} "${file}"`, { stdio: 'inherit', shell: true })
        : spawn('/bin/sh', ['-c', `${editor} "$1"`, 'sh', file], { stdio: 'inherit' })
    child.on('error', ({ message }) => resolve(`could not be started (${message})`))
    child.on('exit', (code) => {
      if (code === 0) resolve(undefined)
      else
        resolve(code === 127 ? 'was not found' : `ended with ${code === null ? 'a signal' : `code ${code}`}`)
    })
  })
}
