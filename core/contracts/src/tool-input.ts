import { z } from 'zod'
import { issueInWords } from './issue-in-words.ts'
import type { Json } from './json.ts'
import { nearest } from './nearest.ts'
import { strictObject } from './strict-object.ts'

/** What a model may give to a tool, and nothing else: what a tool is configured with never stands here. */
export interface ToolInput<Input> {
  readonly jsonSchema: Readonly<Record<string, Json>>
  parse(input: Json): ParsedInput<Input>
}

export type ParsedInput<Input> =
  | { readonly kind: 'valid'; readonly input: Input }
  | { readonly kind: 'invalid'; readonly why: string }

export function toolInput<Input>(schema: z.ZodType<Input>): ToolInput<Input> {
  let jsonSchema: ToolInput<Input>['jsonSchema'] | undefined
  return {
    get jsonSchema() {
      return (jsonSchema ??= jsonSchemaOf(schema))
    },
    parse(given) {
      const parsed = schema.safeParse(given)
      return parsed.success
        ? { kind: 'valid', input: parsed.data }
        : { kind: 'invalid', why: parsed.error.issues.map(issueAt).join('; ') }
    },
  }
}

function jsonSchemaOf(schema: z.ZodType): Readonly<Record<string, Json>> {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: 'input' }) as Record<string, Json>
  return rest
}

const issueAt = (issue: z.core.$ZodIssue): string =>
  [issue.path.join('.'), issueInWords(issue)].filter(Boolean).join(' ')

const Path = z.string().min(1).max(4_096)
const LONGEST_TEXT = 2_000_000

export const ReadFileInput = strictObject({
  path: Path.describe('The file, from the working folder on; or a media:// handle that a result named.'),
  from_line: z.int().positive().optional().describe('The first line to read, from 1.'),
  lines: z.int().positive().max(100_000).optional().describe('How many lines to read.'),
  from_character: z.int().min(0).optional().describe('Where to begin instead, for long lines; from 0.'),
  characters: z.int().positive().max(1_000_000).optional().describe('How many characters to read.'),
})
export type ReadFileInput = z.infer<typeof ReadFileInput>

export const WriteFileInput = strictObject({
  path: Path.describe('The file to make or to replace; folders on the way to it are made.'),
  content: z.string().max(LONGEST_TEXT).describe('All that the file is to hold.'),
})
export type WriteFileInput = z.infer<typeof WriteFileInput>

export const EditFileInput = strictObject({
  path: Path.describe('The file to change.'),
  old_text: z
    .string()
    .min(1)
    .max(LONGEST_TEXT)
    .describe(
      'The text to replace, exactly as it stands in the file, with enough around it to be found once.',
    ),
  new_text: z.string().max(LONGEST_TEXT).describe('What is to stand there instead.'),
  replace_all: z.boolean().optional().describe('Replaces each place where the text stands.'),
})
export type EditFileInput = z.infer<typeof EditFileInput>

export const ListDirectoryInput = strictObject({
  path: Path.optional().describe('The folder; the working folder where absent.'),
  depth: z.int().min(1).max(10).optional().describe('How many levels of folders to list; 1 where absent.'),
})
export type ListDirectoryInput = z.infer<typeof ListDirectoryInput>

export const SearchFilesInput = strictObject({
  pattern: z.string().min(1).max(1_000).describe('What to look for in the lines of files.'),
  is_regex: z.boolean().optional().describe('The pattern is a regular expression, not plain text.'),
  ignore_case: z.boolean().optional(),
  path: Path.optional().describe('The folder or file to look in; the working folder where absent.'),
  glob: z.string().min(1).max(1_000).optional().describe('Only files whose path is like this: src/**/*.ts'),
  context_lines: z.int().min(0).max(10).optional().describe('Lines to show around each that is found.'),
})
export type SearchFilesInput = z.infer<typeof SearchFilesInput>

export const RunCommandInput = strictObject({
  command: z
    .string()
    .min(1)
    .max(4_000)
    .describe(
      'The whole command line, exactly as it is allowed. There is no shell: no pipes, variables, wildcards.',
    ),
  timeout_seconds: z.int().min(1).max(600).optional().describe('120 where absent.'),
})
export type RunCommandInput = z.infer<typeof RunCommandInput>

export const GitStatusInput = strictObject({
  show: z.enum(['status', 'diff', 'staged_diff', 'log']).optional().describe('status where absent.'),
  path: Path.optional().describe('Only what concerns this file or folder.'),
  count: z.int().min(1).max(200).optional().describe('How many commits of the log; 20 where absent.'),
})
export type GitStatusInput = z.infer<typeof GitStatusInput>

export const GitCommitInput = strictObject({
  message: z.string().min(1).max(20_000),
  paths: z
    .array(Path)
    .min(1)
    .max(500)
    .optional()
    .describe('The files whose changes to commit, new ones too; what is staged where absent.'),
})
export type GitCommitInput = z.infer<typeof GitCommitInput>

export const HttpRequestInput = strictObject({
  url: z.string().min(1).max(8_000).describe('An https:// address on an allowed host.'),
  method: z.enum(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']).optional().describe('GET where absent.'),
  headers: z.record(z.string().max(200), z.string().max(8_000)).optional(),
  body: z.string().max(1_000_000).optional(),
})
export type HttpRequestInput = z.infer<typeof HttpRequestInput>

export const WebSearchInput = strictObject({
  query: z.string().min(1).max(1_000),
  count: z.int().min(1).max(20).optional().describe('How many results; 8 where absent.'),
})
export type WebSearchInput = z.infer<typeof WebSearchInput>

export const McpCallInput = strictObject({
  server: z.string().min(1).max(64).describe('The name of the MCP server.'),
  tool: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe('The tool of that server; where absent, the tools that it has are listed.'),
  arguments: z.record(z.string(), z.unknown()).optional().describe('What the tool is given.'),
})
export type McpCallInput = z.infer<typeof McpCallInput>

/** The tools that come with the house, in the order in which they are told of. */
export const ToolName = z.enum([
  'read_file',
  'write_file',
  'edit_file',
  'list_directory',
  'search_files',
  'run_command',
  'http_request',
  'web_search',
  'git_status',
  'git_commit',
  'mcp_call',
])
export type ToolName = z.infer<typeof ToolName>

/** What is said of a tool that nobody has; undefined where there is such a tool. */
export function unknownTool(name: string): string | undefined {
  const known: readonly string[] = ToolName.options
  if (known.includes(name)) return undefined
  const meant = nearest(name, known)
  return `there is no tool "${name}"; ${meant === undefined ? `known are ${known.join(', ')}` : `did you mean "${meant}"?`}`
}
