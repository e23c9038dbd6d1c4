import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { LedgerEntry, StoredGeneration } from '@parley/contracts'
import { createEvidence } from '../testing/evidence.fixture.ts'
import { buildVoiceArtifacts } from './build-voice-artifacts.ts'
import {
  type LedgerDecision,
  countErasedVerdicts,
  createLedgerEntry,
  hashPayload,
  verifyLedger,
} from './verify-ledger.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const reflectionId = 'rfl_1'

const createStored = (generation: number): StoredGeneration => ({
  generation,
  publishedNamespaces: ['essays'],
  artifacts: buildVoiceArtifacts(
    {
      displayName: 'Ada Winter',
      evidence: createEvidence('essays', generation),
      namespaces: ['essays'],
      publishedNamespaces: ['essays'],
    },
    sha256,
  ),
})
const STORED = [1, 2, 3].map(createStored)
const gone = (generation: number): StoredGeneration => ({ generation, publishedNamespaces: [] })
const find = (generation: number) => STORED[generation - 1]

const lastAlone = (generation: number) => (generation === 3 ? find(generation) : gone(generation))

type StoredOf = (generation: number) => StoredGeneration | undefined
type Line = readonly [generation: number, stage: LedgerDecision['stage'], reasons?: readonly string[]]

function createChain(lines: readonly Line[], of = reflectionId): readonly LedgerEntry[] {
  const entries: LedgerEntry[] = []
  for (const [generation, stage, reasons = []] of lines) {
    const fact = {
      generation,
      stage,
      payloadHash: hashPayload(find(generation)?.artifacts, sha256),
      reasons: [...reasons],
      at: '2026-01-01T00:00:00.000Z',
    }
    entries.push(createLedgerEntry(of, entries.at(-1), fact, sha256))
  }
  return entries
}

const GOOD: readonly Line[] = [
  [1, 'candidate'],
  [2, 'candidate'],
  [2, 'evaluated'],
  [2, 'promoted'],
  [1, 'evaluated'],
  [1, 'outrun'],
  [3, 'candidate'],
  [3, 'evaluated'],
  [3, 'promoted'],
]
const entries = createChain(GOOD)
const findProblems = (given: readonly LedgerEntry[], live: number | undefined = 3, stored: StoredOf = find) =>
  verifyLedger({ reflectionId, entries: given, live }, stored, sha256).map(({ problem }) => problem)

describe('a ledger', () => {
  test('[P9] is valid as written, in any order of its generations', () => {
    expect(findProblems(entries)).toEqual([])
    expect(verifyLedger({ reflectionId, entries: [] }, find, sha256)).toEqual([])
  })

  test('[P9] reveals any change of any entry', () => {
    const change = fc.constantFrom<Partial<LedgerEntry>>(
      { generation: 9 },
      { stage: 'rejected' },
      { payloadHash: 'made-up' },
      { reasons: ['made up'] },
      { at: '2020-01-01T00:00:00.000Z' },
      { previousHash: 'made-up' },
      { entryHash: 'made-up' },
    )
    fc.assert(
      fc.property(fc.nat(entries.length - 1), change, (index, other) => {
        const changed = entries.map((entry, at) => (at === index ? { ...entry, ...other } : entry))
        expect(findProblems(changed)).not.toEqual([])
      }),
    )
  })

  test('[P9] reveals a removed entry', () => {
    fc.assert(
      fc.property(fc.nat(entries.length - 1), (index) => {
        expect(findProblems(entries.toSpliced(index, 1))).not.toEqual([])
      }),
    )
  })

  test('[P9] reveals reordered entries', () => {
    const orders = fc.shuffledSubarray([...entries], { minLength: entries.length })
    fc.assert(
      fc.property(orders, (order) => {
        fc.pre(order.some(({ position }, index) => position !== index + 1))
        expect(findProblems(order)).not.toEqual([])
      }),
    )
  })

  test('[P9] is not valid for another reflection', () => {
    expect(findProblems(createChain(GOOD, 'rfl_2'))).toEqual(['does not follow the entry before it'])
  })

  test.each<[string, readonly Line[], number | undefined, RegExp]>([
    ['a verdict without a candidate', [[1, 'evaluated']], undefined, /^evaluated cannot follow nothing$/],
    [
      'a promotion without a verdict',
      [
        [1, 'candidate'],
        [1, 'promoted'],
      ],
      1,
      /^promoted cannot follow candidate$/,
    ],
    [
      'a promotion against the verdict',
      [
        [1, 'candidate'],
        [1, 'evaluated', ['hash: x']],
        [1, 'promoted'],
      ],
      1,
      /should have been rejected, not promoted/,
    ],
    [
      'a lower generation over a higher one',
      [
        [1, 'candidate'],
        [2, 'candidate'],
        [2, 'evaluated'],
        [2, 'promoted'],
        [1, 'evaluated'],
        [1, 'promoted'],
      ],
      2,
      /generation 1 should have been outrun/,
    ],
    ['a generation in use that was never promoted', [[1, 'candidate']], 1, /generation 1 serves, but/],
    [
      'a promoted generation that is not in use',
      [
        [1, 'candidate'],
        [1, 'evaluated'],
        [1, 'promoted'],
      ],
      undefined,
      /^nothing serves, but the ledger says that generation 1 was promoted last$/,
    ],
  ])('[P9] reveals %s in an intact chain', (_, lines, live, problem) => {
    const given = createChain(lines)
    const problems = verifyLedger({ reflectionId, entries: given, live }, find, sha256)
    expect(problems.map((fault) => fault.problem).join('\n')).toMatch(new RegExp(problem.source, 'm'))
  })

  test.each<[string, StoredOf, readonly string[]]>([
    [
      'a changed payload',
      (generation) => find(generation === 2 ? 3 : generation),
      ['the payload of generation 2 is not the one that was kept'],
    ],
    [
      'a missing payload',
      (generation) => find(generation === 2 ? 9 : generation),
      ['the payload of generation 2 is missing', 'the payload of generation 2 is missing'],
    ],
    [
      'a verdict that a new evaluation does not confirm',
      (generation) => ({
        ...createStored(generation),
        ...(generation === 2 && { publishedNamespaces: ['diary'] }),
      }),
      ['the recorded verdict on generation 2 does not match a new evaluation'],
    ],
    [
      'a missing payload without an entry about its removal',
      (generation) => (generation === 2 ? gone(generation) : find(generation)),
      [
        'the payload of generation 2 is gone, and no entry says so',
        'the payload of generation 2 is gone, and no entry says so',
      ],
    ],
  ])('[P9] [P10] reveals %s', (_, stored, problems) => {
    expect(findProblems(entries, 3, stored)).toEqual(problems)
  })

  test('[P9] [X5] an erased payload is counted, and only its chain is verified', () => {
    const given = createChain([...GOOD, [1, 'erased'], [2, 'erased']])
    expect(findProblems(given, 3, lastAlone)).toEqual([])
    expect([countErasedVerdicts(entries), countErasedVerdicts(given)]).toEqual([0, 2])
    expect(findProblems(createChain([...GOOD, [1, 'erased'], [1, 'erased']]), 3, lastAlone)).toContain(
      'erased cannot follow erased',
    )
  })
})
