import { join } from 'node:path'
import { changeHomeFile } from '../config/change-home-file.ts'
import { removeProvider } from '../config/edit-providers.ts'
import { loadSettings, OWN_FILE } from '../config/load-settings.ts'
import { readConfig } from '../config.ts'
import { EXIT, type ExitCode } from '../exit-code.ts'
import { jsonLine } from '../render/json-line.ts'
import { tell } from '../render/tell.ts'
import type { CommandCall } from './command.ts'

/** Takes a provider out of the person's own config. */
export async function removeFromProviders({ io, json, positionals }: CommandCall): Promise<ExitCode> {
  const config = readConfig(io.environment)
  const [name = ''] = positionals
  const file = join(config.home, OWN_FILE)
  await changeHomeFile(config.home, OWN_FILE, (text = '') => removeProvider(text, name, file))
  if (json) io.stdout.write(jsonLine({ name, removed: true, file }))
  else tell(io.stdout, `Removed from ${file}: ${name}.`)
  const { chat, sources } = await loadSettings(config, { workingDir: process.cwd() })
  if (chat.default_model.startsWith(`${name}/`)) {
    const where = sources['chat.default_model']
    tell(io.stderr, `parley: chat.default_model in ${where} still names it: ${chat.default_model}.`)
  }
  return EXIT.done
}
