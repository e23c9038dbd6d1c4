import { once } from 'node:events'
import type { Writable } from 'node:stream'
import type { Io } from '../io.ts'
import { sanitise, wrapWords } from './text.ts'

/** Writes a message for people, wrapped to the screen. */
export function printMessage(stream: NodeJS.WriteStream, text: string, indent = ''): void {
  const safe = sanitise(text)
  const laidOut = stream.isTTY ? wrapWords(safe, (stream.columns || 80) - indent.length) : safe
  stream.write(`${indent}${laidOut.replaceAll('\n', `\n${indent}`)}\n`)
}

export const notify = ({ stderr }: Pick<Io, 'stderr'>, notice: string): void =>
  printMessage(stderr, `parley: ${notice}`)

/** Waits for a slow reader, but not for one that is gone. */
export function writeTo(output: Writable, text: string): Promise<void> | undefined {
  return output.write(text) ? undefined : once(output, 'drain').then(ignore, ignore)
}

const ignore = () => undefined

/** One value as one JSON line; C1 controls and direction marks are escaped. */
export function toJsonLine(value: unknown): string {
  const text = JSON.stringify(value).replace(
    /[\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  return `${text}\n`
}

/** A time in the local zone: 2026-11-15 14:03. */
export function formatLocalTime(timestamp: string): string {
  const at = new Date(timestamp)
  const day = `${at.getFullYear()}-${padTwo(at.getMonth() + 1)}-${padTwo(at.getDate())}`
  return `${day} ${padTwo(at.getHours())}:${padTwo(at.getMinutes())}`
}

const padTwo = (number: number) => String(number).padStart(2, '0')
