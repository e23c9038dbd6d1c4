import { common, createLowlight } from 'lowlight'
import { type Format, PLAIN, type Row, type Span, createSpan } from './inline.ts'

/** Highlights code, one row per line; undefined for an unknown language. */
export type Highlight = (code: string, language: string) => readonly Row[] | undefined

export function createHighlight(): Highlight {
  const lowlight = createLowlight(common)
  return (code, language) => {
    if (!lowlight.registered(language)) return undefined
    const rows: Span[][] = [[]]
    for (const { text, format } of toSpans(lowlight.highlight(language, code).children, PLAIN)) {
      for (const [index, line] of text.split('\n').entries()) {
        if (index > 0) rows.push([])
        if (line !== '') rows.at(-1)?.push(createSpan(line, format))
      }
    }
    return rows
  }
}

type Node = ReturnType<ReturnType<typeof createLowlight>['highlight']>['children'][number]

function toSpans(nodes: readonly Node[], format: readonly Format[]): readonly Span[] {
  return nodes.flatMap((node) => {
    if (node.type === 'text') return [createSpan(node.value, format)]
    if (node.type !== 'element') return []
    return toSpans(node.children, findFormat(node.properties['className']) ?? format)
  })
}

function findFormat(names: unknown): readonly Format[] | undefined {
  if (!Array.isArray(names)) return undefined
  const name = names.map(String).find((each) => each.startsWith('hljs-'))
  return name === undefined ? undefined : FORMATS.get(name.slice('hljs-'.length))
}

/** The classes of highlight.js in each format. */
const CLASSES = {
  magenta: 'keyword selector-tag',
  yellow: 'literal number symbol bullet',
  green: 'string regexp addition quote',
  blue: 'title name section tag',
  cyan: 'attr attribute property built_in type',
  dim: 'comment doctag meta',
  red: 'deletion',
  italic: 'emphasis',
  bold: 'strong',
} as const satisfies Partial<Record<Format, string>>

const FORMATS: ReadonlyMap<string, readonly Format[]> = new Map(
  Object.entries(CLASSES).flatMap(([format, names]) => {
    // Neighbouring spans are merged if they share their list.
    const formats = [format as Format]
    return names.split(' ').map((name) => [name, formats] as const)
  }),
)
