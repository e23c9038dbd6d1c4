import fc from 'fast-check'
import { expect, test } from 'vitest'
import { estimateMessagesTokens, estimateTextTokens } from '../budget/estimate-tokens.ts'
import {
  type WindowLimits,
  type WindowState,
  type PastMessage,
  planWindow,
  selectRemembered,
} from './plan-window.ts'

const limits: WindowLimits = { maxMessages: 200, autoCompact: true, compactThreshold: 0.8 }

const message = (role: PastMessage['role'], text: string): PastMessage => ({
  role,
  content: [{ type: 'text', text }],
})

const createPast = (lengths: readonly number[]): readonly PastMessage[] => [
  ...lengths.flatMap((length) => [
    message('user', 'q'.repeat(length)),
    message('assistant', 'a'.repeat(length)),
  ]),
  message('user', 'And now?'),
]

const createNotes = (count: number) =>
  Array.from({ length: count }, (): PastMessage => ({ ...message('user', 'note'), isNote: true }))

const steps = (count: number) =>
  Array.from({ length: count }, () => [message('assistant', 'a'), message('tool', 'r')]).flat()

const createState = (given: Partial<WindowState>): WindowState => ({
  past: createPast([10, 10]),
  otherTokens: 10,
  contextWindow: 1_000,
  maxTokens: 100,
  ...given,
})

test.each<[string, Partial<WindowState>, Partial<WindowLimits>, object]>([
  ['what fits stays', {}, {}, { kind: 'as-is' }],
  [
    'without a window only the count holds',
    { contextWindow: undefined, past: createPast([99_999]) },
    {},
    { kind: 'as-is' },
  ],
  ['a full window is summarised', { past: createPast([300, 900, 30]) }, {}, { kind: 'compact', keep: 3 }],
  [
    'or trimmed, if that is wanted',
    { past: createPast([300, 900, 30]) },
    { autoCompact: false },
    { kind: 'as-is' },
  ],
  [
    'a window that is overfull is trimmed by whole turns',
    { past: createPast([900, 900, 300]) },
    { autoCompact: false },
    { kind: 'trim', keep: 5 },
  ],
  [
    'a question that does not fit alone',
    { past: [message('user', 'q'.repeat(4_000))] },
    {},
    { kind: 'too-long' },
  ],
  [
    'too many messages',
    { contextWindow: undefined, past: createPast(Array.from({ length: 6 }, () => 1)) },
    { maxMessages: 10 },
    { kind: 'trim', keep: 7 },
  ],
  [
    'notes push nothing out',
    {
      contextWindow: undefined,
      past: [...createPast([1]).slice(0, 2), ...createNotes(9), message('user', 'q')],
    },
    { maxMessages: 4 },
    { kind: 'as-is' },
  ],
  [
    'the last turn with tools stays, however long it is',
    { contextWindow: undefined, past: [...createPast([1, 1]), ...steps(20), message('user', 'q')] },
    { maxMessages: 10 },
    { kind: 'trim', keep: 42 },
  ],
  [
    'it stays behind a note too',
    {
      contextWindow: undefined,
      past: [...createPast([1, 1]), ...steps(20), ...createNotes(1), message('user', 'q')],
    },
    { maxMessages: 10 },
    { kind: 'trim', keep: 43 },
  ],
  [
    'the results of tools push nothing out',
    {
      contextWindow: undefined,
      past: [
        ...createPast([1, 1]),
        ...Array.from({ length: 20 }, () => message('tool', 'r')),
        message('user', 'q'),
      ],
    },
    { maxMessages: 10 },
    { kind: 'as-is' },
  ],
])('[S17] %s', (_, given, wanted, expected) => {
  expect(planWindow(createState(given), { ...limits, ...wanted })).toEqual(expected)
})

test.each([
  ['the last question and its answer', []],
  ['as much behind a note on a failed turn', createNotes(1)],
])('[S1] [S4] a memory of one turn leaves %s', (_, after) => {
  const question = message('user', 'My name is Ada.')
  const answer = message('assistant', 'Hello, Ada.')
  const known = { past: [message('user', 'Hi.'), message('assistant', 'Hi.'), question, answer, ...after] }
  expect(selectRemembered(known, { type: 'window', window_size: 1 })).toEqual({
    past: [question, answer, ...after],
  })
})

test('[S9] for any past, the kept part fits into the window and begins with a question', () => {
  const given = fc.record({
    lengths: fc.array(fc.nat(3_000), { maxLength: 20 }),
    contextWindow: fc.integer({ min: 200, max: 5_000 }),
    maxTokens: fc.integer({ min: 1, max: 150 }),
    otherTokens: fc.nat(1_000),
    autoCompact: fc.boolean(),
    maxMessages: fc.integer({ min: 2, max: 30 }),
  })
  fc.assert(
    fc.property(given, ({ lengths, autoCompact, maxMessages, ...rest }) => {
      const past = createPast(lengths)
      const plan = planWindow(createState({ past, ...rest }), { ...limits, autoCompact, maxMessages })
      if (plan.kind === 'too-long') return
      const kept = plan.kind === 'as-is' ? past : past.slice(past.length - plan.keep)
      expect(kept[0]?.role).toBe('user')
      expect(rest.otherTokens + estimateMessagesTokens(kept)).toBeLessThanOrEqual(
        rest.contextWindow - rest.maxTokens,
      )
      expect(plan.kind !== 'as-is' || kept.length <= maxMessages).toBe(true)
    }),
    { numRuns: 500 },
  )
})

test('texts are counted rather too high than too low', () => {
  expect(estimateTextTokens('')).toBe(0)
  expect(estimateTextTokens('The boat leaves at seven, at high water.')).toBeGreaterThanOrEqual(10)
  expect(estimateTextTokens('船は七時に出ます。')).toBeGreaterThanOrEqual(9)
})
