import type { Json } from '@parley/contracts'

/**
 * A map as YAML 1.2 in block style: keys in the order of their UTF-16 units, lists as they are, lines that end in a line
 * feed. A pure function of the value; every string reads back exactly.
 */
export function writeYaml(map: Readonly<Record<string, Json>>): string {
  const lines: string[] = []
  writeValue({ ...map }, { lines, indent: '', lead: '' })
  return `${lines.join('\n')}\n`
}

interface WritePosition {
  readonly lines: string[]
  /** The indent of each line of the value. */
  readonly indent: string
  /** The start of its first line: a key with its colon, or a dash. */
  readonly lead: string
}

function writeValue(value: Json, place: WritePosition): void {
  if (Array.isArray(value) && value.length > 0) writeList(value, place)
  else if (isFilledMap(value)) writeMap(value, place)
  else place.lines.push(`${place.lead} ${writeScalar(value, place.indent)}`)
}

function writeList(items: readonly Json[], place: WritePosition): void {
  const { lines, indent } = place
  let start = openEntries(place)
  for (const item of items) {
    writeValue(item, { lines, indent: `${indent}  `, lead: `${start}-` })
    start = indent
  }
}

function writeMap(map: { [key: string]: Json }, place: WritePosition): void {
  const { lines, indent } = place
  let start = openEntries(place)
  for (const key of Object.keys(map).toSorted(compareUtf16Units)) {
    const value = map[key]
    if (value === undefined) continue
    writeValue(value, { lines, indent: `${indent}  `, lead: `${start}${writeKeyAndColon(key, indent)}` })
    start = indent
  }
}

/** The text before the first entry: the dash on the same line, otherwise the indent. */
function openEntries({ lines, indent, lead }: WritePosition): string {
  if (lead.endsWith('-')) return `${lead} `
  if (lead !== '') lines.push(lead)
  return indent
}

// YAML allows 1,024 characters, quotes included, for a key on its value's line.
const MAX_KEY_LENGTH = 1_000

function writeKeyAndColon(key: string, indent: string): string {
  const written = writeKey(key)
  return written.length <= MAX_KEY_LENGTH ? `${written}:` : `? ${written}\n${indent}:`
}

const compareUtf16Units = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

const isFilledMap = (value: Json): value is { [key: string]: Json } =>
  typeof value === 'object' && value !== null && Object.values(value).some((inner) => inner !== undefined)

/** A value written on one line: text, a number, `true`, `null`, an empty list or map. */
function writeScalar(value: Json, indent: string): string {
  if (typeof value === 'string') return writeText(value, indent)
  if (typeof value === 'number') return writeNumber(value)
  if (Array.isArray(value)) return '[]'
  return typeof value === 'object' && value !== null ? '{}' : String(value)
}

const writeKey = (key: string): string => (isPlain(key) ? key : quote(key))

function writeText(text: string, indent: string): string {
  if (isPlain(text)) return text
  return isLiteral(text) ? writeLiteral(text, indent) : quote(text)
}

const PLAIN = /^[\p{L}_](?:[\p{L}\p{M}\p{N}_ .,;!?'()/+*=@%&-]*[\p{L}\p{M}\p{N}_.,;!?')/+*=@%&-])?$/u

// Words that YAML 1.1 or 1.2 readers do not take as text.
const RESERVED_WORD = /^(?:null|true|false|yes|no|on|off|y|n)$/i

const isPlain = (text: string): boolean => PLAIN.test(text) && !RESERVED_WORD.test(text)

// Control characters, other line breaks, byte order marks, direction marks and non-characters.
const UNSEEN = /[^\P{Cc}\t\n]|[\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\ufffe\uffff]|\p{Surrogate}/u

/** Lines that a block keeps exactly. Not if the first is empty or indented, or one holds only spaces. */
const isLiteral = (text: string): boolean =>
  text.includes('\n') && !/^\s|\n[ \t]+(?:\n|$)/.test(text) && !UNSEEN.test(text)

function writeLiteral(text: string, indent: string): string {
  const isEnded = text.endsWith('\n')
  const chomping = !isEnded ? '-' : text.endsWith('\n\n') ? '+' : ''
  const lines = (isEnded ? text.slice(0, -1) : text).split('\n')
  return `|${chomping}\n${lines.map((line) => (line === '' ? '' : `${indent}${line}`)).join('\n')}`
}

const ESCAPED = /[\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\ufffe\uffff]/g

/** JSON is YAML, except for characters that JSON does not escape; it escapes lone surrogates. */
const quote = (text: string): string =>
  JSON.stringify(text).replace(
    ESCAPED,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

function writeNumber(value: number): string {
  if (Number.isNaN(value)) return '.nan'
  if (!Number.isFinite(value)) return value < 0 ? '-.inf' : '.inf'
  return Object.is(value, -0) ? '-0' : String(value)
}
