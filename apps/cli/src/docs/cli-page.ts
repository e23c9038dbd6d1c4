import type { CommandEntry, OptionEntry, PositionalEntry } from '../commands/command.ts'
import { COMMANDS, JSON_OPTION } from '../commands/table.ts'
import { EXIT_MEANINGS } from '../exit-code.ts'
import { PROMPT_FILES, PROMPT_KEYS, SLASH_COMMANDS, slashUsage } from '../slash/run-slash.ts'
import { bullets, code, sentence, table } from './markdown.ts'

/** `docs/cli.md`, from the tables of commands, exit codes and slash commands. */
export function renderCliPage(): string {
  const groups = Object.entries(COMMANDS)
  return [
    '# Commands',
    `In the clone, run \`npx parley\`. Every command also takes \`--help\` and ${code(JSON_OPTION.flags)} (${JSON_OPTION.summary}).`,
    '## Contents',
    bullets([
      ...groups.map(([heading, entries]) => `${link(heading)}: ${entries.map(contentsOf).join(' · ')}`),
      `${link(EXIT_HEADING)} · ${link(SLASH_HEADING)}`,
    ]),
    ...groups.flatMap(([heading, entries]) => [
      `## ${heading}`,
      ...entries.flatMap((entry) => sectionsOf(entry)),
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

function contentsOf(entry: CommandEntry): string {
  const { name, subcommands = [] } = entry
  const inner = subcommands.map((one) => link(usageOf(one, [name]), one.name))
  return `${link(usageOf(entry), name)}${inner.length === 0 ? '' : ` (${inner.join(', ')})`}`
}

function sectionsOf(
  entry: CommandEntry,
  parents: readonly string[] = [],
  known: readonly PositionalEntry[] = [],
): readonly string[] {
  const { name, summary, options = [], example, subcommands = [] } = entry
  const parts = [...positionalsOf(entry).filter((one) => !known.includes(one)), ...options]
  const shared = sharedIn(subcommands)
  return [
    `###${'#'.repeat(parents.length)} ${code(usageOf(entry, parents))}`,
    sentence(summary),
    ...(parts.length === 0 ? [] : [bullets(parts.map(partLine))]),
    ...(example === undefined ? [] : [`Example: ${code(example)}`]),
    ...(shared.length === 0 ? [] : ['In its subcommands:', bullets(shared.map(partLine))]),
    ...subcommands.flatMap((one) => sectionsOf(one, [...parents, name], shared)),
  ]
}

/** Arguments of more than two subcommands, which are described once. */
function sharedIn(subcommands: readonly CommandEntry[]): readonly PositionalEntry[] {
  const all = subcommands.flatMap(positionalsOf)
  return [...new Set(all)].filter((one) => all.filter((each) => each === one).length > 2)
}

const usageOf = (entry: CommandEntry, parents: readonly string[] = []): string =>
  ['parley', ...parents, entry.name, ...positionalsOf(entry).map(({ syntax }) => syntax)].join(' ')

const positionalsOf = ({ positional = [] }: CommandEntry): readonly PositionalEntry[] => [positional].flat()

const partLine = (part: PositionalEntry | OptionEntry): string =>
  `${code('flags' in part ? part.flags : part.syntax)}: ${part.summary}`

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
