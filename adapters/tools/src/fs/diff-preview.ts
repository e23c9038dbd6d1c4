import type { Preview } from '@parley/contracts'
import { createTwoFilesPatch, FILE_HEADERS_ONLY } from 'diff'
import { decodeText } from './text-encoding.ts'

/** A change as a person is shown it: line by line where both sides are text. */
export function diffPreview(shown: string, before: Uint8Array | undefined, after: Uint8Array): Preview {
  const old = before && decodeText(before)
  const now = decodeText(after)
  if (now.kind === 'binary' || old?.kind === 'binary')
    return {
      kind: 'text',
      text: `${shown}: ${before?.length ?? 0} bytes, of which not all are text, are replaced by ${after.length} bytes${now.kind === 'text' ? `:\n${now.text}` : '.'}`,
    }
  const patch = createTwoFilesPatch(
    old ? `a/${shown}` : '/dev/null',
    `b/${shown}`,
    old?.text ?? '',
    now.text,
    undefined,
    undefined,
    { context: 3, timeout: LONGEST_MS, headerOptions: FILE_HEADERS_ONLY },
  )
  if (patch === undefined) return { kind: 'text', text: `All of ${shown} is replaced by:\n${now.text}` }
  const encoding =
    old && old.encoding !== now.encoding ? `${shown} was ${old.encoding}, and becomes ${now.encoding}.\n` : ''
  return { kind: 'diff', text: encoding + patch }
}

const LONGEST_MS = 500
