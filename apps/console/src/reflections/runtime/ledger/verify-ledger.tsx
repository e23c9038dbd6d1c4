import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { readGenerations, readWholeLedger } from '@parley/api-client'
import type { ReflectionId } from '@parley/contracts'
import { type Ledger, type LedgerFault, verifyLedger } from '@parley/reflections'
import { useConsoleHost } from '../../../app/console-host.ts'
import { Button } from '../../../ui/button.tsx'
import { messageOf } from '../../../ui/message-of.ts'
import { Notice } from '../../../ui/notice.tsx'
import { visibleText } from '../../../ui/visible-text.ts'

/** Reads all that the ledger is about, and works it out anew in this page. */
export function useVerification(reflectionId: ReflectionId) {
  const { client } = useConsoleHost()
  const [progress, setProgress] = useState('')
  const verification = useMutation({
    mutationFn: async () => {
      setProgress('Reading the ledger…')
      const ledger = await readWholeLedger(client.reflections, reflectionId)
      const stored = await readGenerations(client.reflections, ledger, (read, all) =>
        setProgress(`Reading generation ${read} of ${all}…`),
      )
      return { ledger, faults: verifyLedger(ledger, (generation) => stored.get(generation), sha256) }
    },
  })
  return { ...verification, progress }
}

export function VerifyLedger({ verification }: { verification: ReturnType<typeof useVerification> }) {
  const { isPending, data, error, mutate, progress } = verification
  const lastHash = data?.ledger.entries.at(-1)?.entryHash ?? ''
  const isRight = data !== undefined && !isPending && data.faults.length === 0
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-3">
        <Button aria-disabled={isPending} onClick={() => isPending || mutate()}>
          Verify here
        </Button>
        <p role="status" className="min-h-6 text-sm leading-6 max-sm:min-h-12 max-sm:basis-full">
          {isPending ? progress : data && verdictInWords(data.ledger, data.faults)}
        </p>
      </div>
      {/* There before it is asked for, with room for the hash: what stands below stays where it is. */}
      <p className="text-soft text-sm leading-6">
        The sums are done in this page, not on the server. Whoever could write the whole database could make a
        new chain: keep the last hash elsewhere to see that.
      </p>
      <p className="min-h-5 text-xs leading-5 max-sm:min-h-10">
        {isRight && <code className="font-mono wrap-anywhere">{visibleText(lastHash)}</code>}
      </p>
      {error && <Notice>{messageOf(error)}</Notice>}
      {data && !isPending && <Faults faults={data.faults} />}
    </div>
  )
}

/** Those of no single entry; the others stand with theirs. */
function Faults({ faults }: { faults: readonly LedgerFault[] }) {
  if (faults.length === 0) return null
  return (
    <ul aria-label="What is wrong with the ledger" className="text-alarm list-disc ps-5 text-sm leading-6">
      {faults.map(({ position, problem }, index) => (
        <li key={index}>{visibleText(position === undefined ? problem : `Entry ${position} ${problem}`)}.</li>
      ))}
    </ul>
  )
}

/** What a verification came to, in a sentence. */
export function verdictInWords({ entries, live }: Ledger, faults: readonly LedgerFault[]): string {
  if (faults.length > 0)
    return faults.length === 1 ? 'One thing is wrong.' : `${faults.length} things are wrong.`
  if (entries.length === 0) return 'There is nothing to verify yet.'
  const right = entries.length === 1 ? 'One entry is right' : `All ${entries.length} entries are right`
  return `${right}; ${live === undefined ? 'nothing serves yet' : `generation ${live} serves`}.`
}

/**
 * SHA-256 of a text, in hex. The browser's own takes its time (it answers later) and is missing where the page came over
 * plain HTTP from elsewhere; a ledger is verified by sums that are wanted at once.
 */
export function sha256(text: string): string {
  const bytes = padded(new TextEncoder().encode(text))
  const view = new DataView(bytes.buffer)
  const state = Uint32Array.from(START)
  const words = new Uint32Array(64)
  for (let block = 0; block < bytes.length; block += 64) {
    for (let index = 0; index < 16; index += 1) words[index] = view.getUint32(block + index * 4)
    stretch(words)
    compress(state, words)
  }
  return [...state].map((word) => word.toString(16).padStart(8, '0')).join('')
}

const PRIMES = primes(64)
/** The first bits of the fractions of the primes' square and cube roots. */
const START = PRIMES.slice(0, 8).map((prime) => fraction(Math.sqrt(prime)))
const ROUNDS = PRIMES.map((prime) => fraction(Math.cbrt(prime)))

function primes(count: number): readonly number[] {
  const found: number[] = []
  for (let next = 2; found.length < count; next += 1) {
    if (found.every((prime) => next % prime !== 0)) found.push(next)
  }
  return found
}

function fraction(root: number): number {
  return Math.floor((root - Math.floor(root)) * 2 ** 32)
}

/** A one, zeros, and the length in bits, to whole blocks. */
function padded(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(Math.ceil((bytes.length + 9) / 64) * 64)
  whole.set(bytes)
  whole[bytes.length] = 0x80
  const view = new DataView(whole.buffer)
  view.setUint32(whole.length - 8, Math.floor(bytes.length / 2 ** 29))
  view.setUint32(whole.length - 4, (bytes.length * 8) >>> 0)
  return whole
}

const turned = (word: number, by: number): number => (word >>> by) | (word << (32 - by))
const at = (words: Uint32Array, index: number): number => words[index] ?? 0

function stretch(words: Uint32Array): void {
  for (let index = 16; index < 64; index += 1) {
    const early = at(words, index - 15)
    const late = at(words, index - 2)
    const low = turned(early, 7) ^ turned(early, 18) ^ (early >>> 3)
    const high = turned(late, 17) ^ turned(late, 19) ^ (late >>> 10)
    words[index] = at(words, index - 16) + low + at(words, index - 7) + high
  }
}

function compress(state: Uint32Array, words: Uint32Array): void {
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state
  for (let round = 0; round < 64; round += 1) {
    const chosen = (e & f) ^ (~e & g)
    const most = (a & b) ^ (a & c) ^ (b & c)
    const one =
      h + (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + chosen + (ROUNDS[round] ?? 0) + at(words, round)
    const other = (turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + most
    h = g
    g = f
    f = e
    e = (d + one) | 0
    d = c
    c = b
    b = a
    a = (one + other) | 0
  }
  for (const [index, word] of [a, b, c, d, e, f, g, h].entries()) state[index] = at(state, index) + word
}
