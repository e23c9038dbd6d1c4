import type { Io } from '../io.ts'
import { neutralise, wrapWords } from './text.ts'

/** Writes a message for people, wrapped to the screen. */
export function tell(stream: NodeJS.WriteStream, text: string, indent = ''): void {
  const safe = neutralise(text)
  const laidOut = stream.isTTY ? wrapWords(safe, (stream.columns || 80) - indent.length) : safe
  stream.write(`${indent}${laidOut.replaceAll('\n', `\n${indent}`)}\n`)
}

export const notify = ({ stderr }: Pick<Io, 'stderr'>, notice: string): void =>
  tell(stderr, `parley: ${notice}`)

/** One value as one JSON line; C1 controls and direction marks are escaped. */
export function jsonLine(value: unknown): string {
  const text = JSON.stringify(value).replace(
    /[\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  return `${text}\n`
}

/** A time in the local zone: 2026-11-15 14:03. */
export function localTime(timestamp: string): string {
  const at = new Date(timestamp)
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`
  return `${day} ${two(at.getHours())}:${two(at.getMinutes())}`
}

const two = (number: number) => String(number).padStart(2, '0')
