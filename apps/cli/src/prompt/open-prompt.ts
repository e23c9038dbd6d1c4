import type { Config } from '../config.ts'
import type { Io } from '../io.ts'
import type { EditorHost } from './line-editor.ts'
import type { Prompt } from './prompt.ts'

/** The best prompt that this terminal can show. */
export async function openPrompt(
  { stdin, stdout, stderr }: Io,
  { escapes, editor }: Config,
  host: EditorHost,
): Promise<Prompt> {
  if (escapes && stdout.isTTY) {
    const { openRawPrompt } = await import('./raw-prompt.ts')
    const edit = async (text: string) => (await import('./edit-in-editor.ts')).editIn(editor)(text)
    return openRawPrompt({ input: stdin, output: stdout }, { ...host, edit })
  }
  const { openPlainPrompt } = await import('./plain-prompt.ts')
  return openPlainPrompt({ input: stdin, output: stdout.isTTY ? stdout : stderr })
}
