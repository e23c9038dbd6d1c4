import { type ErrorDetail, formatIssue, PlatformError, type WorkflowFile, writePath } from '@parley/contracts'
import type { ValuePath, FilePosition, YamlDocument } from './yaml-document.ts'

/** A problem that the file's schema cannot express. */
export interface ValueProblem {
  readonly path: ValuePath
  readonly message: string
}

interface StrictYamlOptions<T> {
  /** The name that the person gave. */
  readonly file: string
  readonly schema: FileSchema<T>
  readonly longest: number
  /** Further checks of a value that passed the schema. */
  readonly check?: (value: T) => readonly ValueProblem[]
}

/** Parses a YAML file. Reports all problems at once, each with line, column and path. */
export async function parseStrictYaml<T>(text: string, options: StrictYamlOptions<T>): Promise<T> {
  const { file, schema, longest, check = () => [] } = options
  if (text.length > longest)
    throw createInvalidFileError(file, [{ ...START, message: `it is longer than ${longest} characters` }])
  // Loaded late: most conversations need no YAML.
  const { readDocument } = await import('./yaml-document.ts')
  const document = readDocument(text)
  if ('problem' in document)
    throw createInvalidFileError(file, [{ path: '', ...document, message: document.problem }])
  const parsed = schema.safeParse(document.value)
  if (!parsed.success) throw createInvalidFileError(file, toFileProblems(parsed.error.issues, document))
  const problems = check(parsed.data)
  if (problems.length === 0) return parsed.data
  throw createInvalidFileError(
    file,
    problems
      .slice(0, MAX_LISTED + 1)
      .map(({ path, message }) => ({ ...document.findPosition(path), path: writePath(path), message })),
  )
}

/** The part of a contract schema that is used here. */
interface FileSchema<T> {
  safeParse(
    value: unknown,
  ):
    | { readonly success: true; readonly data: T }
    | { readonly success: false; readonly error: { readonly issues: readonly SchemaIssue[] } }
}

type SchemaIssue = NonNullable<ReturnType<(typeof WorkflowFile)['safeParse']>['error']>['issues'][number]

interface FileProblem extends FilePosition {
  readonly path: string
  readonly message: string
}

const START = { line: 1, column: 1, path: '' }
const MAX_LISTED = 20

function toFileProblems(issues: readonly SchemaIssue[], document: YamlDocument): readonly FileProblem[] {
  // A missing key is often misspelt, so unknown keys come first.
  const ordered = issues.toSorted((a, b) => Number(isMissing(a)) - Number(isMissing(b)))
  return ordered.slice(0, MAX_LISTED + 1).map((issue) => toFileProblem(issue, document))
}

function toFileProblem(issue: SchemaIssue, document: YamlDocument): FileProblem {
  const { path } = issue
  if (issue.code === 'unrecognized_keys') {
    const [first = '', ...others] = issue.keys
    const at = [...path, first]
    const place = writePath(others.length === 0 ? at : path)
    return { ...document.findKeyPosition(at), path: place, message: issue.message }
  }
  const message = isMissing(issue) ? `the key "${String(path.at(-1))}" is missing` : formatIssue(issue)
  return { ...document.findPosition(path), path: writePath(path), message }
}

const isMissing = (issue: SchemaIssue): boolean =>
  issue.code === 'invalid_type' && issue.path.length > 0 && issue.message.endsWith('received undefined')

function createInvalidFileError(file: string, problems: readonly FileProblem[]): PlatformError {
  const sentences = problems.slice(0, MAX_LISTED).map(({ line, column, path, message }) => {
    const at = path === '' || message.includes(`"${path}"`) ? '' : `${path}: `
    return `${file}:${line}:${column}: ${at}${message}`
  })
  if (problems.length > MAX_LISTED) sentences.push('and more problems of this kind')
  const detail: ErrorDetail = { ...problems[0], file, message: sentences.join('\n  ') }
  return new PlatformError('config_invalid', detail)
}
