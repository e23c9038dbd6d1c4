import { parse } from 'smol-toml'

type Path = readonly (string | number)[]

export interface TomlEntry {
  readonly path: Path
  readonly kind: 'table' | 'value'
  /** The start of its name; for a list item, of the item. */
  readonly name: number
  /** The start of its value; for a table, its first bracket. */
  readonly start: number
}

/** Every table, key and item of a valid TOML text, in order. */
export function scanToml(source: string): readonly TomlEntry[] {
  const scan: TomlScan = { source, at: 0, table: [], entries: [], listLengths: new Map() }
  skip(scan, BLANK)
  while (scan.at < source.length) {
    const before = scan.at
    if (source[scan.at] === '[') scanHeader(scan)
    else scanPair(scan, scan.table)
    if (scan.at === before) break
    skip(scan, BLANK)
  }
  return scan.entries
}

interface TomlScan {
  readonly source: string
  /** The position of the next character. */
  at: number
  /** The table that the next keys belong to. */
  table: Path
  readonly entries: TomlEntry[]
  /** How many items each list of tables has, by its path. */
  readonly listLengths: Map<string, number>
}

function skip(scan: TomlScan, pattern: RegExp): void {
  pattern.lastIndex = scan.at
  scan.at += pattern.exec(scan.source)?.[0].length ?? 0
}

function read(scan: TomlScan, pattern: RegExp): string {
  const from = scan.at
  skip(scan, pattern)
  return scan.source.slice(from, scan.at)
}

/** [table] or [[list of tables]] */
function scanHeader(scan: TomlScan): void {
  const { at: start, listLengths } = scan
  const isList = scan.source.startsWith('[[', start)
  const brackets = isList ? 2 : 1
  scan.at += brackets
  const path = enterKey(scan, [], start, 'table')
  if (!isList) scan.table = path
  else {
    const list = typeof path.at(-1) === 'number' ? path.slice(0, -1) : path
    const index = listLengths.get(JSON.stringify(list)) ?? 0
    listLengths.set(JSON.stringify(list), index + 1)
    scan.table = [...list, index]
    scan.entries.push({ path: scan.table, kind: 'table', name: start, start })
  }
  scan.at += brackets
}

/** name = value */
function scanPair(scan: TomlScan, base: Path): void {
  const { entries } = scan
  const first = entries.length
  const path = enterKey(scan, base, scan.at, 'value')
  scan.at += 1
  skip(scan, SPACE)
  const { at: start } = scan
  const named = entries.splice(first)
  entries.push(...named.map((entry) => ({ ...entry, start })))
  scanValue(scan, path)
}

/** Adds an entry for each name of a dotted key, and returns the path to its last one. */
function enterKey(scan: TomlScan, base: Path, start: number, kind: TomlEntry['kind']): Path {
  let path = base
  for (const { name, offset } of readKey(scan)) {
    path = [...path, name]
    scan.entries.push({ path, kind, name: offset, start })
    const length = scan.listLengths.get(JSON.stringify(path))
    if (length !== undefined && kind === 'table') path = [...path, length - 1]
  }
  return path
}

/** The names of a dotted key with their positions. */
function readKey(scan: TomlScan) {
  const names: { readonly name: string; readonly offset: number }[] = []
  for (;;) {
    skip(scan, SPACE)
    const offset = scan.at
    names.push({ name: parseName(read(scan, KEY)), offset })
    skip(scan, SPACE)
    if (scan.source[scan.at] !== '.') return names
    scan.at += 1
  }
}

function scanValue(scan: TomlScan, path: Path): void {
  const { source, at } = scan
  if (source[at] === '[') {
    scanList(scan, ']', (index) => {
      scan.entries.push({ path: [...path, index], kind: 'value', name: scan.at, start: scan.at })
      scanValue(scan, [...path, index])
    })
  } else if (source[at] === '{') scanList(scan, '}', () => scanPair(scan, path))
  else skip(scan, SCALAR)
}

/** The items of a list or of an inline table, up to the closing bracket. */
function scanList(scan: TomlScan, closing: ']' | '}', scanItem: (index: number) => void): void {
  const { source } = scan
  scan.at += 1
  for (let index = 0; ; index += 1) {
    skip(scan, BLANK)
    if (source[scan.at] === closing || scan.at >= source.length) break
    scanItem(index)
    skip(scan, BLANK)
    if (source[scan.at] === ',') scan.at += 1
  }
  scan.at += 1
}

const SPACE = /[ \t]*/y
const BLANK = /(?:[ \t\r\n]+|#[^\n]*)*/y
const KEY = /"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|[^\s.=\]"']+/y
const SCALAR =
  /"""(?:[^\\]|\\[^])*?"{3,5}(?!")|'''[^]*?'{3,5}(?!')|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|[^,\]}#\n]+/y

const parseName = (written: string): string =>
  /^["']/.test(written) ? (Object.keys(parse(`${written} = 0`))[0] ?? '') : written
