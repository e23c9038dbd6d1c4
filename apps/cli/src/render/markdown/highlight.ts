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
  return name === undefined ? undefined : FORMATS[name.slice('hljs-'.length)]
}

const KEYWORD: readonly Format[] = ['magenta']
const LITERAL: readonly Format[] = ['yellow']
const TEXT: readonly Format[] = ['green']
const NAME: readonly Format[] = ['blue']
const REMARK: readonly Format[] = ['dim']

const FORMATS: Readonly<Record<string, readonly Format[]>> = {
  keyword: KEYWORD,
  'selector-tag': KEYWORD,
  literal: LITERAL,
  number: LITERAL,
  symbol: LITERAL,
  bullet: LITERAL,
  string: TEXT,
  regexp: TEXT,
  addition: TEXT,
  quote: TEXT,
  title: NAME,
  name: NAME,
  section: NAME,
  attr: ['cyan'],
  attribute: ['cyan'],
  property: ['cyan'],
  built_in: ['cyan'],
  type: ['cyan'],
  tag: ['blue'],
  comment: REMARK,
  doctag: REMARK,
  meta: REMARK,
  deletion: ['red'],
  emphasis: ['italic'],
  strong: ['bold'],
}
