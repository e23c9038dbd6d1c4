import type { Json } from '@parley/contracts'

/** What fits no block of its own: text, a number, `true`, `null`, an empty list or map. */
export function writeScalar(value: Json, indent: string): string {
  if (typeof value === 'string') return writeText(value, indent)
  if (typeof value === 'number') return writeNumber(value)
  if (Array.isArray(value)) return '[]'
  return typeof value === 'object' && value !== null ? '{}' : String(value)
}

export const writeKey = (key: string): string => (isPlain(key) ? key : quoted(key))

function writeText(text: string, indent: string): string {
  if (isPlain(text)) return text
  return isLiteral(text) ? literal(text, indent) : quoted(text)
}

const PLAIN = /^[\p{L}_](?:[\p{L}\p{M}\p{N}_ .,;!?'()/+*=@%&-]*[\p{L}\p{M}\p{N}_.,;!?')/+*=@%&-])?$/u

// What some reader of YAML 1.1 or 1.2 takes for no text.
const NO_TEXT = /^(?:null|true|false|yes|no|on|off|y|n)$/i

const isPlain = (text: string): boolean => PLAIN.test(text) && !NO_TEXT.test(text)

// Controls, other line breaks, byte order marks, what turns the writing around, and what is no character.
const UNSEEN = /[^\P{Cc}\t\n]|[\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\ufffe\uffff]|\p{Surrogate}/u

/** Several lines that a reader sees as they are. Where the first is empty or indented, or one holds spaces alone, they would not be. */
const isLiteral = (text: string): boolean =>
  text.includes('\n') && !/^\s|\n[ \t]+(?:\n|$)/.test(text) && !UNSEEN.test(text)

function literal(text: string, indent: string): string {
  const isEnded = text.endsWith('\n')
  const chomping = !isEnded ? '-' : text.endsWith('\n\n') ? '+' : ''
  const lines = (isEnded ? text.slice(0, -1) : text).split('\n')
  return `|${chomping}\n${lines.map((line) => (line === '' ? '' : `${indent}${line}`)).join('\n')}`
}

const ESCAPED = /[\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\ufffe\uffff]/g

/** JSON is YAML, but for what JSON lets through; halves of surrogate pairs it has written as escapes. */
const quoted = (text: string): string =>
  JSON.stringify(text).replace(
    ESCAPED,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

function writeNumber(value: number): string {
  if (Number.isNaN(value)) return '.nan'
  if (!Number.isFinite(value)) return value < 0 ? '-.inf' : '.inf'
  return Object.is(value, -0) ? '-0' : String(value)
}
