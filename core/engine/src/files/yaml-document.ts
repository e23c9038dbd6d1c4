import {
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  parseDocument,
} from 'yaml'

export type ValuePath = readonly PropertyKey[]

export interface FilePosition {
  readonly line: number
  readonly column: number
}

/** A parsed YAML file, with the positions of its values. */
export interface YamlDocument {
  readonly value: unknown
  /** The position of the value at a path, or of the parent of a missing value. */
  readonly findPosition: (path: ValuePath) => FilePosition
  readonly findKeyPosition: (path: ValuePath) => FilePosition
}

/** Why the document cannot be read. */
export interface UnreadableDocument extends FilePosition {
  readonly problem: string
}

// Each token takes about half a kilobyte of memory, so their count is limited.
const MAX_TOKENS = 2_000_000
const DEEPEST = 256

/** Reads YAML 1.2 with the core schema: one document, only core tags, no duplicate keys. */
export function readDocument(text: string): YamlDocument | UnreadableDocument {
  const lines = new LineCounter()
  const place = (offset: number): FilePosition => {
    const { line, col } = lines.linePos(offset)
    return { line, column: col }
  }
  if (hasTooManyTokens(text))
    return { line: 1, column: 1, problem: `it holds more than ${MAX_TOKENS} tokens` }
  let offset = 0
  try {
    const document = parseDocument(text, { ...OPTIONS, lineCounter: lines })
    const [broken] = [...document.errors, ...document.warnings]
    if (broken) return { ...place(broken.pos[0]), problem: translateError(broken) }
    const problem = findStructureProblem(document.contents)
    if (problem) return { ...place(problem.offset), problem: problem.reason }
    offset = readStart(document.contents)
    return {
      value: document.toJS() as unknown,
      findPosition: (path) => place(findOffset(document, path)),
      findKeyPosition: (path) => place(findKeyOffset(document, path)),
    }
  } catch (failure) {
    return { ...place(offset), problem: translateError(failure as Error) }
  }
}

const TOO_DEEP = `it is nested more than ${DEEPEST} deep`

/** Library messages that would not help a person. */
const MESSAGES: readonly (readonly [begins: string, reason: string])[] = [
  ['Maximum call stack', TOO_DEEP],
  ['Excessive alias count', 'its aliases expand to far more than is written'],
  ['Source contains multiple documents', 'it holds more than one document'],
]

const translateError = ({ message }: Error): string =>
  MESSAGES.find(([begins]) => message.startsWith(begins))?.[1] ?? message

const OPTIONS = {
  logLevel: 'error',
  prettyErrors: false,
  schema: 'core',
  merge: false,
  resolveKnownTags: false,
  stringKeys: true,
  // The library compares every pair of keys; below we use a set.
  uniqueKeys: false,
} as const

/** Runs before parsing, since only parsing keeps the tokens in memory. */
function hasTooManyTokens(text: string): boolean {
  let count = 0
  for (const _ of new Lexer().lex(text)) {
    count += 1
    if (count > MAX_TOKENS) return true
  }
  return false
}

interface StructureProblem {
  readonly offset: number
  readonly reason: string
}

/** The first duplicate key, too deep nesting, or alias to its own parent. */
function findStructureProblem(
  node: unknown,
  depth = 0,
  around: readonly string[] = [],
): StructureProblem | undefined {
  const offset = isNode(node) ? (node.range?.[0] ?? 0) : 0
  if (depth > DEEPEST) return { offset, reason: TOO_DEEP }
  if (isAlias(node) && around.includes(node.source))
    return { offset, reason: `the alias "*${node.source}" is inside the value that it names` }
  if (!isMap(node) && !isSeq(node)) return undefined
  const within = node.anchor === undefined ? around : [...around, node.anchor]
  if (isSeq(node)) return findFirst(node.items, (item) => findStructureProblem(item, depth + 1, within))
  const seen = new Set<unknown>()
  return findFirst(node.items, ({ key, value }) => {
    const name = isScalar(key) ? key.value : undefined
    if (seen.has(name)) return { offset: readStart(key), reason: `the key "${String(name)}" appears twice` }
    seen.add(name)
    return findStructureProblem(value, depth + 1, within)
  })
}

function findFirst<T>(
  items: readonly T[],
  find: (item: T) => StructureProblem | undefined,
): StructureProblem | undefined {
  for (const item of items) {
    const problem = find(item)
    if (problem) return problem
  }
  return undefined
}

const readStart = (node: unknown): number => (isNode(node) ? (node.range?.[0] ?? 0) : 0)

function findOffset(document: Document.Parsed, path: ValuePath): number {
  for (let length = path.length; length >= 0; length -= 1) {
    const node: unknown = length === 0 ? document.contents : document.getIn(path.slice(0, length), true)
    if (isNode(node) && node.range) return node.range[0]
  }
  return 0
}

function findKeyOffset(document: Document.Parsed, path: ValuePath): number {
  const holder: unknown = path.length === 1 ? document.contents : document.getIn(path.slice(0, -1), true)
  const keys = isMap(holder) ? holder.items.map(({ key }) => key) : []
  const key = keys.find((candidate) => isScalar(candidate) && candidate.value === path.at(-1))
  return isNode(key) && key.range ? key.range[0] : findOffset(document, path)
}
