import { neutralise } from './neutralise.ts'
import { wrapWords } from './wrap-words.ts'

/** Writes something to a person beside the answer, in lines that fit their screen. */
export function tell(stream: NodeJS.WriteStream, text: string, indent = ''): void {
  const safe = neutralise(text)
  const laidOut = stream.isTTY ? wrapWords(safe, (stream.columns || 80) - indent.length) : safe
  stream.write(`${indent}${laidOut.replaceAll('\n', `\n${indent}`)}\n`)
}
