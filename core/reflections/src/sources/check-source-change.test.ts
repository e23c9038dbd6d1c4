import {
  CONVERSATIONS,
  MAX_SOURCE_BYTES,
  type PatchId,
  type PlatformError,
  type SourceId,
} from '@parley/contracts'
import { expect, test } from 'vitest'
import { checkNewSource, checkReview, refuseTranscript } from './check-source-change.ts'

test('a new source may have the maximum length, but not more', () => {
  const bytes = new Uint8Array(MAX_SOURCE_BYTES)
  expect(() => checkNewSource({ namespace: 'essays', bytes })).not.toThrow()
  const longer = new Uint8Array(MAX_SOURCE_BYTES + 1)
  expect(() => checkNewSource({ namespace: 'essays', bytes: longer })).toThrow(
    expect.objectContaining({ code: 'payload_too_large' }),
  )
})

test('a new source in the namespace of transcripts is refused', () => {
  const source = { namespace: CONVERSATIONS, bytes: new Uint8Array(1) }
  expect(() => checkNewSource(source)).toThrow(expect.objectContaining({ code: 'namespace_reserved' }))
})

test('a transcript cannot be changed or moved, other sources can', () => {
  const id = 'src_made_up' as SourceId
  expect(() => refuseTranscript({ id, namespace: 'essays' })).not.toThrow()
  expect(() => refuseTranscript({ id, namespace: CONVERSATIONS })).toThrow(
    expect.objectContaining({ code: 'namespace_reserved' }),
  )
})

test.each([
  ['approve', 'proposed'],
  ['reject', 'proposed'],
  ['revert', 'applied'],
] as const)('%s is possible for a patch that is %s, and for no other', (decision, possible) => {
  const id = 'pat_made_up' as PatchId
  for (const status of ['proposed', 'applied', 'rejected', 'reverted'] as const) {
    const check = () => checkReview({ id, status }, decision)
    expect(getErrorCode(check)).toBe(status === possible ? undefined : 'patch_not_pending')
  }
})

function getErrorCode(check: () => void): unknown {
  try {
    check()
    return undefined
  } catch (thrown) {
    return (thrown as PlatformError).code
  }
}
