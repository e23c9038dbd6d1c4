import type { Config } from '../config.ts'
import type { Io } from '../io.ts'
import type { Prompt } from './prompt.ts'
import type { ScreenLook } from '../render/screen-of.ts'

/** The best prompt that this terminal can show. */
export async function openPrompt(
  { stdin, stdout, stderr }: Io,
  { escapes }: Config,
  { style }: ScreenLook,
  history: readonly string[],
): Promise<Prompt> {
  if (escapes && stdout.isTTY) {
    const { openRawPrompt } = await import('./raw-prompt.ts')
    return openRawPrompt({ input: stdin, output: stdout }, { history, style })
  }
  const { openPlainPrompt } = await import('./plain-prompt.ts')
  return openPlainPrompt({ input: stdin, output: stdout.isTTY ? stdout : stderr })
}
