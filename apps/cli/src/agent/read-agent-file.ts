import { readFile } from 'node:fs/promises'
import { Agent, PlatformError, unknownKey } from '@parley/contracts'
import { type Document, isMap, isNode, isScalar, LineCounter, parseDocument } from 'yaml'
import type { z } from 'zod'
import { decodeText } from '../message/decode-text.ts'

/** The agent that an `.agent.yaml` file holds; what is wrong with it is told by line and column. */
export async function readAgentFile(file: string): Promise<Agent> {
  const lines = new LineCounter()
  const document = parseDocument(await readText(file), { lineCounter: lines, prettyErrors: false })
  const place = (offset: number): Place => ({
    line: lines.linePos(offset).line,
    column: lines.linePos(offset).col,
  })

  const [broken] = document.errors
  if (broken) throw invalid(file, [{ ...place(broken.pos[0]), path: '', message: broken.message }])
  const parsed = Agent.safeParse(valueOf(document, file))
  if (parsed.success) return parsed.data
  // A missing key is often one that is misspelt: what is there comes first.
  const issues = parsed.error.issues.toSorted((a, b) => Number(isMissing(a)) - Number(isMissing(b)))
  throw invalid(
    file,
    issues.flatMap((issue) => findingsOf(issue, document, place)),
  )
}

interface Place {
  readonly line: number
  readonly column: number
}

interface Finding extends Place {
  readonly path: string
  readonly message: string
}

type Path = readonly PropertyKey[]

async function readText(file: string): Promise<string> {
  const bytes = await readFile(file).catch((cause: NodeJS.ErrnoException) => {
    const why =
      cause.code === 'ENOENT' ? 'There is no agent file' : `Cannot read (${cause.code}) the agent file`
    throw new PlatformError('agent_not_found', { message: `${why} ${file}.`, file }, { cause })
  })
  const text = decodeText(bytes)
  if (text === undefined) {
    throw invalid(file, [{ line: 1, column: 1, path: '', message: 'it is not UTF-8 text' }])
  }
  return text
}

function valueOf(document: Document.Parsed, file: string): unknown {
  try {
    return document.toJS() as unknown
  } catch (failure) {
    // Aliases that grow without bound, or that name no anchor.
    throw invalid(file, [{ line: 1, column: 1, path: '', message: (failure as Error).message }])
  }
}

function findingsOf(
  issue: z.core.$ZodIssue,
  document: Document.Parsed,
  place: (offset: number) => Place,
): readonly Finding[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => {
      const path = [...issue.path, key]
      const message = unknownKey(key, knownKeys(issue.path))
      return { ...place(offsetOfKey(document, path)), path: written(path), message }
    })
  }
  const message = isMissing(issue)
    ? `the key "${String(issue.path.at(-1))}" is missing`
    : lower(issue.message)
  return [{ ...place(offsetOf(document, issue.path)), path: written(issue.path), message }]
}

const isMissing = (issue: z.core.$ZodIssue): boolean =>
  issue.code === 'invalid_type' && issue.message.endsWith('received undefined')

const lower = (text: string) => text.charAt(0).toLowerCase() + text.slice(1)

/** The keys that may stand at this place of an agent file. */
function knownKeys(path: Path): readonly string[] {
  if (path[0] === 'retry') return ['max_attempts']
  if (path[0] === 'fallback_chain') return ['provider', 'model']
  return Object.keys(Agent.shape)
}

const written = (path: Path): string =>
  path
    .map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`))
    .join('')
    .replace(/^\./, '')

/** Where the value at a path begins, or what holds the place where it is missing. */
function offsetOf(document: Document.Parsed, path: Path): number {
  for (let length = path.length; length >= 0; length -= 1) {
    const node: unknown = length === 0 ? document.contents : document.getIn(path.slice(0, length), true)
    if (isNode(node) && node.range) return node.range[0]
  }
  return 0
}

function offsetOfKey(document: Document.Parsed, path: Path): number {
  const holder: unknown = path.length === 1 ? document.contents : document.getIn(path.slice(0, -1), true)
  const keys = isMap(holder) ? holder.items.map(({ key }) => key) : []
  const key = keys.find((candidate) => isScalar(candidate) && candidate.value === path.at(-1))
  return isNode(key) && key.range ? key.range[0] : offsetOf(document, path)
}

function invalid(file: string, found: readonly Finding[]): PlatformError {
  const [first] = found
  const sentences = found.map(({ line, column, path, message }) => {
    const at = path === '' || message.includes(`"${path}"`) ? '' : `${path}: `
    return `${file}:${line}:${column}: ${at}${message}`
  })
  const message = sentences.join('\n  ')
  return new PlatformError('config_invalid', { ...first, file, message })
}
