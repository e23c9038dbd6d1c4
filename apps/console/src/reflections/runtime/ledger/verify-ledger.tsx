import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { readGenerations, readWholeLedger } from '@parley/api-client'
import type { ReflectionId } from '@parley/contracts'
import { type Ledger, type LedgerFault, verifyLedger } from '@parley/reflections'
import { useConsoleHost } from '../../../app/console-host.ts'
import { Button } from '../../../ui/button.tsx'
import { escapeInvisible } from '../../../ui/escape-invisible.ts'
import { ErrorNotice } from '../../../ui/notice.tsx'
import { pluralize } from '../../../ui/format.ts'

/** Loads the whole ledger with all its versions, and verifies the hashes in the browser. */
export function useVerification(reflectionId: ReflectionId) {
  const { client } = useConsoleHost()
  const [progress, setProgress] = useState('')
  const verification = useMutation({
    mutationFn: async () => {
      setProgress('Loading the version history…')
      const ledger = await readWholeLedger(client.reflections, reflectionId)
      const stored = await readGenerations(client.reflections, ledger, (read, all) =>
        setProgress(`Loading version ${read} of ${all}…`),
      )
      return {
        ledger,
        faults: verifyLedger(ledger, (generation) => stored.get(generation), computeSha256InBrowser),
      }
    },
  })
  return { ...verification, progress }
}

export function VerifyLedger({ verification }: { verification: ReturnType<typeof useVerification> }) {
  const { isPending, data, error, mutate, progress } = verification
  const lastHash = data?.ledger.entries.at(-1)?.entryHash ?? ''
  const isValid = data !== undefined && !isPending && data.faults.length === 0
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-3">
        <Button aria-disabled={isPending} onClick={() => isPending || mutate()}>
          Verify
        </Button>
        <p role="status" className="min-h-6 text-sm leading-6 max-sm:min-h-12 max-sm:basis-full">
          {isPending ? progress : data && describeVerification(data.ledger, data.faults)}
        </p>
      </div>
      {/* Always shown, with space for the hash, so that nothing below moves. */}
      <p className="text-soft text-sm leading-6">
        Verified in your browser, not on the server. Someone with full database access could rebuild the
        chain. To detect that, save the last hash elsewhere.
      </p>
      <p className="min-h-5 text-xs leading-5 max-sm:min-h-10">
        {isValid && <code className="font-mono wrap-anywhere">{escapeInvisible(lastHash)}</code>}
      </p>
      <ErrorNotice error={error} />
      {data && !isPending && <FaultList faults={data.faults} />}
    </div>
  )
}

/** All problems; those of one entry are also shown there. */
function FaultList({ faults }: { faults: readonly LedgerFault[] }) {
  if (faults.length === 0) return null
  return (
    <ul aria-label="Problems in the version history" className="text-alarm list-disc ps-5 text-sm leading-6">
      {faults.map(({ position, problem }, index) => (
        <li key={index}>
          {escapeInvisible(position === undefined ? problem : `Entry ${position} ${problem}`)}.
        </li>
      ))}
    </ul>
  )
}

export function describeVerification({ entries, live }: Ledger, faults: readonly LedgerFault[]): string {
  if (faults.length > 0) return `${pluralize(faults.length, 'problem')} found.`
  if (entries.length === 0) return 'Nothing to verify yet.'
  const valid = entries.length === 1 ? 'The entry is valid' : `All ${entries.length} entries are valid`
  return `${valid}; ${live === undefined ? 'no version is in use yet' : `version ${live} is in use`}.`
}

/**
 * SHA-256 of a text, in hex. `verifyLedger` needs a synchronous hash. The browser's own is asynchronous, and missing on
 * pages loaded over plain HTTP from another host.
 */
export function computeSha256InBrowser(text: string): string {
  const bytes = padMessage(new TextEncoder().encode(text))
  const view = new DataView(bytes.buffer)
  const state = Uint32Array.from(START)
  const words = new Uint32Array(64)
  for (let block = 0; block < bytes.length; block += 64) {
    for (let index = 0; index < 16; index += 1) words[index] = view.getUint32(block + index * 4)
    extendWords(words)
    compress(state, words)
  }
  return [...state].map((word) => word.toString(16).padStart(8, '0')).join('')
}

const PRIMES = listPrimes(64)
/** Constants of SHA-256: the first 32 bits of the fractional parts of the primes' square and cube roots. */
const START = PRIMES.slice(0, 8).map((prime) => toFractionBits(Math.sqrt(prime)))
const ROUNDS = PRIMES.map((prime) => toFractionBits(Math.cbrt(prime)))

function listPrimes(count: number): readonly number[] {
  const found: number[] = []
  for (let next = 2; found.length < count; next += 1) {
    if (found.every((prime) => next % prime !== 0)) found.push(next)
  }
  return found
}

function toFractionBits(root: number): number {
  return Math.floor((root - Math.floor(root)) * 2 ** 32)
}

/** Pads to whole blocks: a one bit, zeros, and the length in bits. */
function padMessage(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(Math.ceil((bytes.length + 9) / 64) * 64)
  whole.set(bytes)
  whole[bytes.length] = 0x80
  const view = new DataView(whole.buffer)
  view.setUint32(whole.length - 8, Math.floor(bytes.length / 2 ** 29))
  view.setUint32(whole.length - 4, (bytes.length * 8) >>> 0)
  return whole
}

const rotateRight = (word: number, by: number): number => (word >>> by) | (word << (32 - by))
const readWord = (words: Uint32Array, index: number): number => words[index] ?? 0

function extendWords(words: Uint32Array): void {
  for (let index = 16; index < 64; index += 1) {
    const early = readWord(words, index - 15)
    const late = readWord(words, index - 2)
    const low = rotateRight(early, 7) ^ rotateRight(early, 18) ^ (early >>> 3)
    const high = rotateRight(late, 17) ^ rotateRight(late, 19) ^ (late >>> 10)
    words[index] = readWord(words, index - 16) + low + readWord(words, index - 7) + high
  }
}

function compress(state: Uint32Array, words: Uint32Array): void {
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state
  for (let round = 0; round < 64; round += 1) {
    const chosen = (e & f) ^ (~e & g)
    const most = (a & b) ^ (a & c) ^ (b & c)
    const one =
      h +
      (rotateRight(e, 6) ^ rotateRight(e, 11) ^ rotateRight(e, 25)) +
      chosen +
      (ROUNDS[round] ?? 0) +
      readWord(words, round)
    const other = (rotateRight(a, 2) ^ rotateRight(a, 13) ^ rotateRight(a, 22)) + most
    h = g
    g = f
    f = e
    e = (d + one) | 0
    d = c
    c = b
    b = a
    a = (one + other) | 0
  }
  for (const [index, word] of [a, b, c, d, e, f, g, h].entries()) state[index] = readWord(state, index) + word
}
