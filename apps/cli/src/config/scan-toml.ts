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
  const entries: TomlEntry[] = []
  const lengths = new Map<string, number>()
  let at = 0
  let table: Path = []

  const skip = (pattern: RegExp) => {
    pattern.lastIndex = at
    at += pattern.exec(source)?.[0].length ?? 0
  }
  const read = (pattern: RegExp): string => {
    const from = at
    skip(pattern)
    return source.slice(from, at)
  }

  /** The names of a dotted key with their positions. */
  const readKey = () => {
    const names: { readonly name: string; readonly offset: number }[] = []
    do {
      skip(SPACE)
      const offset = at
      names.push({ name: parseName(read(KEY)), offset })
      skip(SPACE)
    } while (source[at] === '.' && (at += 1))
    return names
  }

  const enter = (base: Path, start: number, kind: TomlEntry['kind']): Path => {
    let path = base
    for (const { name, offset } of readKey()) {
      path = [...path, name]
      entries.push({ path, kind, name: offset, start })
      const length = lengths.get(JSON.stringify(path))
      if (length !== undefined && kind === 'table') path = [...path, length - 1]
    }
    return path
  }

  const readHeader = () => {
    const start = at
    const isList = source.startsWith('[[', at)
    at += isList ? 2 : 1
    if (!isList) table = enter([], start, 'table')
    else {
      const parent = enter([], start, 'table')
      const path = typeof parent.at(-1) === 'number' ? parent.slice(0, -1) : parent
      const index = lengths.get(JSON.stringify(path)) ?? 0
      lengths.set(JSON.stringify(path), index + 1)
      table = [...path, index]
      entries.push({ path: table, kind: 'table', name: start, start })
    }
    at += isList ? 2 : 1
  }

  const readPair = (base: Path) => {
    const first = entries.length
    const path = enter(base, at, 'value')
    at += 1
    skip(SPACE)
    for (let index = first; index < entries.length; index += 1) {
      const entry = entries[index]
      if (entry) entries[index] = { ...entry, start: at }
    }
    readValue(path)
  }

  const readValue = (path: Path) => {
    if (source[at] === '[') readItems(path)
    else if (source[at] === '{') readInlineTable(path)
    else skip(SCALAR)
  }

  const readItems = (path: Path) => {
    at += 1
    for (let index = 0; ; index += 1) {
      skip(BLANK)
      if (source[at] === ']' || at >= source.length) break
      entries.push({ path: [...path, index], kind: 'value', name: at, start: at })
      readValue([...path, index])
      skip(BLANK)
      if (source[at] === ',') at += 1
    }
    at += 1
  }

  const readInlineTable = (path: Path) => {
    at += 1
    for (;;) {
      skip(BLANK)
      if (source[at] === '}' || at >= source.length) break
      readPair(path)
      skip(BLANK)
      if (source[at] === ',') at += 1
    }
    at += 1
  }

  for (skip(BLANK); at < source.length; skip(BLANK)) {
    const before = at
    if (source[at] === '[') readHeader()
    else readPair(table)
    if (at === before) break
  }
  return entries
}

const SPACE = /[ \t]*/y
const BLANK = /(?:[ \t\r\n]+|#[^\n]*)*/y
const KEY = /"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|[^\s.=\]"']+/y
const SCALAR =
  /"""(?:[^\\]|\\[^])*?"{3,5}(?!")|'''[^]*?'{3,5}(?!')|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|[^,\]}#\n]+/y

const parseName = (written: string): string =>
  /^["']/.test(written) ? (Object.keys(parse(`${written} = 0`))[0] ?? '') : written
