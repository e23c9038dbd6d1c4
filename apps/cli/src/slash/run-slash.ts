import { nearest } from '@parley/contracts'
import type { Edit } from '../prompt/edit-in-editor.ts'
import type { SlashHost } from './slash-host.ts'
import { type SlashCommand, type SlashResult, told } from './slash-command.ts'
import { SLASH_COMMANDS } from './table.ts'

interface SlashTools {
  readonly host: SlashHost
  readonly edit?: Edit | undefined
  readonly say?: (line: string) => void
}

/** Carries out a command. */
export async function runSlash(text: string, tools: SlashTools): Promise<SlashResult> {
  const [, name = '', argument = ''] = /^\/(\S*)\s*([^]*)$/.exec(text.trimEnd()) ?? []
  const offered = offeredBy(tools)
  const wanted = name.toLowerCase()
  const command = offered.find((each) => each.name === wanted || each.also === wanted)
  return command
    ? command.run({ say: () => undefined, ...tools, argument, offered })
    : told(unknown(name, offered))
}

/** The commands that can be carried out here. */
export const offeredBy = ({ host, edit }: SlashTools): readonly SlashCommand[] =>
  SLASH_COMMANDS.filter(({ needs }) => {
    if (needs === undefined) return true
    return needs === 'edit' ? edit !== undefined : host[needs] !== undefined
  }).map((command) =>
    command.name === 'quit' && host.leaving !== undefined
      ? { ...command, summary: `leave; ${host.leaving}` }
      : command,
  )

function unknown(name: string, offered: readonly SlashCommand[]): string {
  const names = offered.map((each) => each.name)
  const meant = names.find((each) => name !== '' && each.startsWith(name)) ?? nearest(name, names)
  const hint = meant === undefined ? '' : `; did you mean /${meant}?`
  return `There is no command /${name}${hint || '.'} /help lists them. To send a message that starts with a slash, write two: //${name}`
}
