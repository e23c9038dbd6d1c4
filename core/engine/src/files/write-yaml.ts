import type { Json } from '@parley/contracts'
import { writeKey, writeScalar } from './write-scalar.ts'

/**
 * A map as YAML 1.2 in block style: keys in the order of their UTF-16 units, lists as they are, lines that end in a line
 * feed. A pure function of the value; any string is read back exactly as it was.
 */
export function writeYaml(map: Readonly<Record<string, Json>>): string {
  const lines: string[] = []
  writeValue({ ...map }, { lines, indent: '', lead: '' })
  return `${lines.join('\n')}\n`
}

interface Place {
  readonly lines: string[]
  /** What stands before each line of the value. */
  readonly indent: string
  /** What its first line begins with: a key with its colon, or a dash. */
  readonly lead: string
}

function writeValue(value: Json, place: Place): void {
  if (Array.isArray(value) && value.length > 0) writeList(value, place)
  else if (isFilledMap(value)) writeMap(value, place)
  else place.lines.push(`${place.lead} ${writeScalar(value, place.indent)}`)
}

function writeList(items: readonly Json[], place: Place): void {
  const { lines, indent } = place
  let start = startOf(place)
  for (const item of items) {
    writeValue(item, { lines, indent: `${indent}  `, lead: `${start}-` })
    start = indent
  }
}

function writeMap(map: { [key: string]: Json }, place: Place): void {
  const { lines, indent } = place
  let start = startOf(place)
  for (const key of Object.keys(map).toSorted(byUnit)) {
    const value = map[key]
    if (value === undefined) continue
    writeValue(value, { lines, indent: `${indent}  `, lead: `${start}${keyOf(key, indent)}` })
    start = indent
  }
}

/** What the first entry stands behind: the dash that it shares a line with, else the indent of a line of its own. */
function startOf({ lines, indent, lead }: Place): string {
  if (lead.endsWith('-')) return `${lead} `
  if (lead !== '') lines.push(lead)
  return indent
}

// YAML allows 1,024 characters, quotes counted, for a key that has no line of its own.
const LONGEST_KEY = 1_000

function keyOf(key: string, indent: string): string {
  const written = writeKey(key)
  return written.length <= LONGEST_KEY ? `${written}:` : `? ${written}\n${indent}:`
}

const byUnit = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

const isFilledMap = (value: Json): value is { [key: string]: Json } =>
  typeof value === 'object' && value !== null && Object.values(value).some((inner) => inner !== undefined)
