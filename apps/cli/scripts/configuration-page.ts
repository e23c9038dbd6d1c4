import { homedir } from 'node:os'
import { ConfigFile, PROVIDER_KINDS } from '@parley/contracts'
import { PROGRAM_VARIABLES } from '@parley/tools'
import { z } from 'zod'
import { formatChatSetting, WITHOUT_MODEL } from '../src/commands/config.ts'
import { VARIABLES } from '../src/environment.ts'
import { DEFAULT_CHAT, NARROWING } from '../src/config/chat-settings.ts'
import { toCode, toFullSentence, toTable } from './markdown.ts'

/** `docs/configuration.md`, from the schemas of the environment and of config files. */
export const renderConfigurationPage = (): string =>
  [
    INTRODUCTION,
    '## Config files',
    ...Object.entries(ConfigFile.shape).flatMap(([name, schema]) =>
      renderSection(name as Section, z.toJSONSchema(schema, { io: 'input' }) as Schema),
    ),
    '## Environment variables',
    'An empty variable counts as not set.',
    ...Object.entries(VARIABLES).flatMap(([heading, variables]) => [
      `### ${heading}`,
      toTable(['Variable', 'Meaning'], Object.entries(variables).map(toVariableRow)),
    ]),
    '### Model providers',
    'A key makes its provider available. For any other provider, `api_key_env` names the variable.',
    toTable(['Provider', 'Key', 'Address'], listProviderRows()),
    '### Programs that tools start',
    `They get only ${PROGRAM_VARIABLES.map(toCode).join(', ')}, and the \`env\` of an MCP server.`,
  ].join('\n\n')

const INTRODUCTION = `# Configuration

Settings come from four places. A later one overrides an earlier one. \`parley config\` prints the settings for the current folder, and where each one is set.

1. \`~/.parley/config.toml\` is your own file.
2. \`.parley/workspace.toml\`, then \`.parley/project.toml\`, in the current folder or one above it, are the project's files. They can only narrow your settings. \`parley trust\` shows what else they ask for, and applies it if you approve.
3. \`PARLEY_CHAT_\` with a key of \`[chat]\` in capitals, such as \`PARLEY_CHAT_MAX_TURNS=20\`. Separate list items with commas.
4. Options of the command.

A server uses only your own file and the environment. Keys and passwords do not belong in these files: \`api_key_env\` names a variable, and \`{{secrets.NAME}}\` in headers and in \`env\` stands for a secret saved by \`parley keys set NAME\`. Editors can use [this schema](schemas/config.schema.json).`

type Section = keyof typeof ConfigFile.shape

const NEEDS_TRUST = 'A project file needs your approval to set it (`parley trust`).'
const OWN_FILE_ONLY = 'Only your own file can set it.'

const WHO_MAY_SET: Readonly<Record<Section, string>> = {
  chat: 'The last column shows the values that a project file can set without your approval.',
  providers: NEEDS_TRUST,
  mcp_servers: NEEDS_TRUST,
  http_headers: NEEDS_TRUST,
  web_search: NEEDS_TRUST,
  server: OWN_FILE_ONLY,
  learning: OWN_FILE_ONLY,
}

type ChatKey = keyof typeof DEFAULT_CHAT

/** The columns that only some sections have. */
const MORE_COLUMNS: Readonly<Partial<Record<Section, Readonly<Record<string, (key: string) => string>>>>> = {
  chat: {
    Default: (key) => formatChatSetting(key, DEFAULT_CHAT[key as ChatKey]),
    'Project files': (key) => NARROWING[key as ChatKey].description,
  },
  server: { Default: () => '`workspace` in the data folder' },
  learning: { Default: (key) => WITHOUT_MODEL[key as keyof typeof WITHOUT_MODEL] },
}

/** The part of JSON Schema that config files use. */
interface Schema {
  readonly description?: string
  readonly type?: string
  readonly format?: string
  readonly enum?: readonly string[]
  readonly minimum?: number
  readonly maximum?: number
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: Schema | false
}

function renderSection(name: Section, schema: Schema): readonly string[] {
  const { additionalProperties: entry, description = '' } = schema
  const more = MORE_COLUMNS[name] ?? {}
  const rows = listKeys(entry || schema).map(({ key, type, meaning }) => [
    toCode(key),
    type,
    meaning,
    ...Object.values(more).map((renderCell) => renderCell(key)),
  ])
  return [
    `### \`[${name}${entry ? '.NAME' : ''}]\``,
    `${description} ${WHO_MAY_SET[name]}`,
    ...(rows.length === 0 ? [] : [toTable(['Key', 'Type', 'Meaning', ...Object.keys(more)], rows)]),
  ]
}

interface DocumentedKey {
  readonly key: string
  readonly type: string
  readonly meaning: string
}

/** The keys of a table, and of the tables in it. */
const listKeys = ({ properties = {}, required = [] }: Schema, path = ''): readonly DocumentedKey[] =>
  Object.entries(properties).flatMap(([name, schema]) => {
    const { properties: inner, additionalProperties: entry, description = '' } = schema
    if (inner) return listKeys(schema, `${path}${name}.`)
    if (entry && entry.properties) return listKeys(entry, `${path}${name}.NAME.`)
    const type = `${formatType(schema)}${required.includes(name) ? ' (required)' : ''}`
    return [{ key: path + name, type, meaning: description }]
  })

function formatType(schema: Schema): string {
  const { type = '', format, enum: choices, minimum, maximum, items, additionalProperties: values } = schema
  if (choices) return choices.map(toCode).join(', ')
  if (items) return `list of ${formatType(items)}s`
  if (values) return `table of ${formatType(values)}s`
  if (format === 'uri') return 'URL'
  const isBounded = minimum !== undefined && maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER
  return isBounded ? `${type}, ${minimum} to ${maximum.toLocaleString('en')}` : type
}

function toVariableRow([name, schema]: readonly [string, z.ZodType]): readonly string[] {
  const { data } = schema.safeParse(undefined)
  const hasDefault = typeof data === 'string' || typeof data === 'number'
  const note = hasDefault ? ` (default: ${toCode(String(data).replace(homedir(), '~'))})` : ''
  return [toCode(name), toFullSentence(`${schema.description ?? ''}${note}`)]
}

const listProviderRows = () =>
  Object.entries(PROVIDER_KINDS)
    .filter(([, { keyVariable }]) => keyVariable !== undefined)
    .map(([kind, { keyVariable = '', baseUrlVariable }]) => [
      toCode(kind),
      toCode(keyVariable),
      baseUrlVariable === undefined ? 'none' : toCode(baseUrlVariable),
    ])
