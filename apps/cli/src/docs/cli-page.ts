import type { CommandEntry, OptionEntry, ArgumentEntry } from '../commands/command.ts'
import { COMMANDS, JSON_OPTION } from '../commands/table.ts'
import { EXIT_MEANINGS } from '../exit-code.ts'
import { PROMPT_FILES, PROMPT_KEYS, SLASH_COMMANDS, slashUsage } from '../slash/run-slash.ts'
import { bullets, code, sentence, table } from './markdown.ts'

/** `docs/cli.md`, from the tables of commands, exit codes and slash commands. */
export function renderCliPage(): string {
  const groups = Object.entries(COMMANDS)
  return [
    '# Commands',
    `In the clone, run \`npx parley\`. Every command also takes \`--help\` and ${code(JSON_OPTION[0])} (${JSON_OPTION[1]}).`,
    '## Contents',
    bullets([
      ...groups.map(([heading, entries]) => `${link(heading)}: ${entries.map(listContents).join(' · ')}`),
      `${link(EXIT_HEADING)} · ${link(SLASH_HEADING)}`,
    ]),
    ...groups.flatMap(([heading, entries]) => [
      `## ${heading}`,
      ...entries.flatMap((entry) => renderSections(entry)),
    ]),
    `## ${EXIT_HEADING}`,
    table(['Code', 'Meaning'], Object.entries(EXIT_MEANINGS)),
    `## ${SLASH_HEADING}`,
    'Type these at the prompt of `parley chat` and `parley resume`.',
    table(['Command', 'Effect'], SLASH_COMMANDS.map(slashRow)),
    bullets([PROMPT_FILES, ...PROMPT_KEYS]),
  ].join('\n\n')
}

const EXIT_HEADING = 'Exit codes'
const SLASH_HEADING = 'Slash commands'

function listContents(entry: CommandEntry): string {
  const { name, subcommands = [] } = entry
  const inner = subcommands.map((one) => link(formatUsage(one, [name]), one.name))
  return `${link(formatUsage(entry), name)}${inner.length === 0 ? '' : ` (${inner.join(', ')})`}`
}

function renderSections(
  entry: CommandEntry,
  parents: readonly string[] = [],
  known: readonly ArgumentEntry[] = [],
): readonly string[] {
  const { name, summary, options = [], example, subcommands = [] } = entry
  const parts = [...listArguments(entry).filter((one) => !known.includes(one)), ...options]
  const shared = findShared(subcommands)
  return [
    `###${'#'.repeat(parents.length)} ${code(formatUsage(entry, parents))}`,
    sentence(summary),
    ...(parts.length === 0 ? [] : [bullets(parts.map(formatPart))]),
    ...(example === undefined ? [] : [`Example: ${code(example)}`]),
    ...(shared.length === 0 ? [] : ['In its subcommands:', bullets(shared.map(formatPart))]),
    ...subcommands.flatMap((one) => renderSections(one, [...parents, name], shared)),
  ]
}

/** Arguments of more than two subcommands, which are described once. */
function findShared(subcommands: readonly CommandEntry[]): readonly ArgumentEntry[] {
  const all = subcommands.flatMap(listArguments)
  return [...new Set(all)].filter((one) => all.filter((each) => each === one).length > 2)
}

const formatUsage = (entry: CommandEntry, parents: readonly string[] = []): string =>
  ['parley', ...parents, entry.name, ...listArguments(entry).map(([syntax]) => syntax)].join(' ')

const listArguments = ({ positional = [] }: CommandEntry): readonly ArgumentEntry[] => positional

const formatPart = ([syntax, summary]: ArgumentEntry | OptionEntry): string => `${code(syntax)}: ${summary}`

const slashRow = (command: (typeof SLASH_COMMANDS)[number]): readonly string[] => [
  `${code(slashUsage(command))}${command.also === undefined ? '' : ` or ${code(`/${command.also}`)}`}`,
  command.summary,
]

/** A link to a heading, under the name that GitHub gives it. */
const link = (heading: string, text = heading): string =>
  `[${text}](#${heading
    .toLowerCase()
    .replaceAll(/[^\w\- ]/g, '')
    .replaceAll(' ', '-')})`
