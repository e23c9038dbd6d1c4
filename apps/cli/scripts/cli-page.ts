import type { CommandEntry, OptionEntry, ArgumentEntry } from '../src/commands/command.ts'
import { COMMANDS, JSON_OPTION } from '../src/commands/table.ts'
import { EXIT_MEANINGS } from '../src/exit-code.ts'
import { PROMPT_FILES, PROMPT_KEYS, SLASH_COMMANDS, formatSlashUsage } from '../src/slash/run-slash.ts'
import { toBullets, toCode, toFullSentence, toTable } from './markdown.ts'

/** `docs/cli.md`, from the tables of commands, exit codes and slash commands. */
export function renderCliPage(): string {
  const groups = Object.entries(COMMANDS)
  return [
    '# Commands',
    `In the clone, run \`npx parley\`. Every command also takes \`--help\` and ${toCode(JSON_OPTION[0])} (${JSON_OPTION[1]}).`,
    '## Contents',
    toBullets([
      ...groups.map(([heading, entries]) => `${linkTo(heading)}: ${entries.map(listContents).join(' · ')}`),
      `${linkTo(EXIT_HEADING)} · ${linkTo(SLASH_HEADING)}`,
    ]),
    ...groups.flatMap(([heading, entries]) => [
      `## ${heading}`,
      ...entries.flatMap((entry) => renderSections(entry)),
    ]),
    `## ${EXIT_HEADING}`,
    toTable(['Code', 'Meaning'], Object.entries(EXIT_MEANINGS)),
    `## ${SLASH_HEADING}`,
    'Type these at the prompt of `parley chat` and `parley resume`.',
    toTable(['Command', 'Effect'], SLASH_COMMANDS.map(toSlashRow)),
    toBullets([PROMPT_FILES, ...PROMPT_KEYS]),
  ].join('\n\n')
}

const EXIT_HEADING = 'Exit codes'
const SLASH_HEADING = 'Slash commands'

function listContents(entry: CommandEntry): string {
  const { name, subcommands = [] } = entry
  const inner = subcommands.map((one) => linkTo(formatUsage(one, [name]), one.name))
  return `${linkTo(formatUsage(entry), name)}${inner.length === 0 ? '' : ` (${inner.join(', ')})`}`
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
    `###${'#'.repeat(parents.length)} ${toCode(formatUsage(entry, parents))}`,
    toFullSentence(summary),
    ...(parts.length === 0 ? [] : [toBullets(parts.map(formatPart))]),
    ...(example === undefined ? [] : [`Example: ${toCode(example)}`]),
    ...(shared.length === 0 ? [] : ['In its subcommands:', toBullets(shared.map(formatPart))]),
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

const formatPart = ([syntax, summary]: ArgumentEntry | OptionEntry): string => `${toCode(syntax)}: ${summary}`

const toSlashRow = (command: (typeof SLASH_COMMANDS)[number]): readonly string[] => [
  `${toCode(formatSlashUsage(command))}${command.also === undefined ? '' : ` or ${toCode(`/${command.also}`)}`}`,
  command.summary,
]

/** A link to a heading, under the name that GitHub gives it. */
const linkTo = (heading: string, text = heading): string =>
  `[${text}](#${heading
    .toLowerCase()
    .replaceAll(/[^\w\- ]/g, '')
    .replaceAll(' ', '-')})`
