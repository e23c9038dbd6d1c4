import { z } from 'zod'
import { formatIssue } from './format-issue.ts'
import type { Json } from './json.ts'
import { findNearest, strictObject } from './strict-object.ts'

/** The input of a tool that the model controls; the tool's configuration is never part of it. */
export interface ToolInput<Input> {
  readonly jsonSchema: Readonly<Record<string, Json>>
  parse(input: Json): ParsedInput<Input>
}

export type ParsedInput<Input> =
  | { readonly kind: 'valid'; readonly input: Input }
  | { readonly kind: 'invalid'; readonly why: string }

export function createToolInput<Input>(schema: z.ZodType<Input>): ToolInput<Input> {
  let jsonSchema: ToolInput<Input>['jsonSchema'] | undefined
  return {
    get jsonSchema() {
      return (jsonSchema ??= toJsonSchema(schema))
    },
    parse(input) {
      const parsed = schema.safeParse(input)
      return parsed.success
        ? { kind: 'valid', input: parsed.data }
        : { kind: 'invalid', why: parsed.error.issues.map(formatIssueWithPath).join('; ') }
    },
  }
}

function toJsonSchema(schema: z.ZodType): Readonly<Record<string, Json>> {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: 'input' }) as Record<string, Json>
  return rest
}

const formatIssueWithPath = (issue: z.core.$ZodIssue): string =>
  [issue.path.join('.'), formatIssue(issue)].filter(Boolean).join(' ')

const Path = z.string().min(1).max(4_096)
const MAX_TEXT_LENGTH = 2_000_000

export const ReadFileInput = strictObject({
  path: Path.describe('The file, relative to the working folder; or a media:// handle from a result.'),
  from_line: z.int().positive().optional().describe('The first line to read; lines count from 1.'),
  lines: z.int().positive().max(100_000).optional().describe('How many lines to read.'),
  from_character: z
    .int()
    .min(0)
    .optional()
    .describe('The first character to read instead, for long lines; characters count from 0.'),
  characters: z.int().positive().max(1_000_000).optional().describe('How many characters to read.'),
})
export type ReadFileInput = z.infer<typeof ReadFileInput>

export const WriteFileInput = strictObject({
  path: Path.describe('The file to create or replace; missing folders are created.'),
  content: z.string().max(MAX_TEXT_LENGTH).describe('The complete new content of the file.'),
})
export type WriteFileInput = z.infer<typeof WriteFileInput>

export const EditFileInput = strictObject({
  path: Path.describe('The file to change.'),
  old_text: z
    .string()
    .min(1)
    .max(MAX_TEXT_LENGTH)
    .describe('The text to replace, exactly as in the file, with enough context to occur only once.'),
  new_text: z.string().max(MAX_TEXT_LENGTH).describe('The replacement text.'),
  replace_all: z.boolean().optional().describe('Replaces every occurrence of the text.'),
})
export type EditFileInput = z.infer<typeof EditFileInput>

export const ListDirectoryInput = strictObject({
  path: Path.optional().describe('The folder; default: the working folder.'),
  depth: z.int().min(1).max(10).optional().describe('How many levels of folders to list; default: 1.'),
})
export type ListDirectoryInput = z.infer<typeof ListDirectoryInput>

export const SearchFilesInput = strictObject({
  pattern: z.string().min(1).max(1_000).describe('The text to find in the lines of files.'),
  is_regex: z.boolean().optional().describe('The pattern is a regular expression, not plain text.'),
  ignore_case: z.boolean().optional(),
  path: Path.optional().describe('The folder or file to search; default: the working folder.'),
  glob: z
    .string()
    .min(1)
    .max(1_000)
    .optional()
    .describe('Only files with a matching path, such as src/**/*.ts'),
  context_lines: z.int().min(0).max(10).optional().describe('How many lines to show around each match.'),
})
export type SearchFilesInput = z.infer<typeof SearchFilesInput>

export const RunCommandInput = strictObject({
  command: z
    .string()
    .min(1)
    .max(4_000)
    .describe(
      'The complete command line, exactly as allowed. There is no shell: no pipes, variables or wildcards.',
    ),
  timeout_seconds: z.int().min(1).max(600).optional().describe('Default: 120.'),
})
export type RunCommandInput = z.infer<typeof RunCommandInput>

export const GitStatusInput = strictObject({
  show: z.enum(['status', 'diff', 'staged_diff', 'log']).optional().describe('Default: status.'),
  path: Path.optional().describe('Only this file or folder.'),
  count: z.int().min(1).max(200).optional().describe('How many commits of the log; default: 20.'),
})
export type GitStatusInput = z.infer<typeof GitStatusInput>

export const GitCommitInput = strictObject({
  message: z.string().min(1).max(20_000),
  paths: z
    .array(Path)
    .min(1)
    .max(500)
    .optional()
    .describe('The changed or new files to commit; default: the staged changes.'),
})
export type GitCommitInput = z.infer<typeof GitCommitInput>

export const HttpRequestInput = strictObject({
  url: z.string().min(1).max(8_000).describe('An https:// address on an allowed host.'),
  method: z.enum(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']).optional().describe('Default: GET.'),
  headers: z.record(z.string().max(200), z.string().max(8_000)).optional(),
  body: z.string().max(1_000_000).optional(),
})
export type HttpRequestInput = z.infer<typeof HttpRequestInput>

export const WebSearchInput = strictObject({
  query: z.string().min(1).max(1_000),
  count: z.int().min(1).max(20).optional().describe('How many results; default: 8.'),
})
export type WebSearchInput = z.infer<typeof WebSearchInput>

export const McpCallInput = strictObject({
  server: z.string().min(1).max(64).describe('The name of the MCP server.'),
  tool: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe('The tool of that server; if absent, its tools are listed.'),
  arguments: z.record(z.string(), z.unknown()).optional().describe('The input of the tool.'),
})
export type McpCallInput = z.infer<typeof McpCallInput>

/** The built-in tools, in the order of lists. */
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

/** The message for an unknown tool name; undefined if the tool exists. */
export function findToolNameProblem(name: string): string | undefined {
  const known: readonly string[] = ToolName.options
  if (known.includes(name)) return undefined
  const meant = findNearest(name, known)
  return `there is no tool "${name}"; ${meant === undefined ? `known are ${known.join(', ')}` : `did you mean "${meant}"?`}`
}
