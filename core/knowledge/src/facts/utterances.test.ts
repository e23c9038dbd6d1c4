import fc from 'fast-check'
import { expect, test } from 'vitest'
import { splitChunks } from '../chunks/split-chunks.ts'
import { createRuleExtractor } from './extract-facts.ts'
import { isCreator } from './names.ts'

const about = { displayName: 'Zoe Zahn', title: 'A chat' }
const never = new AbortController().signal

type Message = readonly [speaker: string, text: string]

const chatOf = (messages: readonly Message[]) =>
  splitChunks(messages.map(([speaker, text]) => ({ text, place: { speaker, date: '2023-03-12T21:14' } })))

const factsIn = (messages: readonly Message[]) =>
  createRuleExtractor().extract(chatOf(messages), about, never)

const told = async (messages: readonly Message[]) =>
  (await factsIn(messages)).map(({ statement }) => statement)

test.each<[string, readonly Message[], readonly string[]]>([
  [
    'who speaks once',
    [
      ['Kurt', 'I was born in Lima'],
      ['Nina', 'nice'],
    ],
    ['Kurt was born in Lima.'],
  ],
  [
    'a name in small letters',
    [
      ['rui', 'I was born in Lima'],
      ['Zoe', 'ok'],
    ],
    ['rui was born in Lima.'],
  ],
  [
    'a name with an emoji',
    [
      ['🦊 Mo', 'I was born in Lima'],
      ['Zoe', 'ok'],
    ],
    ['Mo was born in Lima.'],
  ],
  [
    'a telephone number',
    [
      ['+49 170 1234567', 'I was born in Lima. My sister Mara lives in Oslo.'],
      ['Zoe', 'ok'],
    ],
    [],
  ],
  [
    'an emoji alone',
    [
      ['🦊', 'I was born in Lima'],
      ['Zoe', 'ok'],
    ],
    [],
  ],
  [
    'an id of an app',
    [
      ['U024BE7LH', 'I was born in Lima'],
      ['Zoe', 'ok'],
    ],
    [],
  ],
  ['nobody else', [['Kurt', 'I was born in Lima']], ['Kurt was born in Lima.']],
  [
    'the person',
    [
      ['zoe zahn', 'I was born in Lima'],
      ['Kurt', 'ok'],
    ],
    ['Zoe Zahn was born in Lima.'],
  ],
  [
    'who speaks of the person',
    [
      ['Kurt', 'Zoe was born in Lima. Zoe Zahn lives in Rome.'],
      ['Zoe', 'no'],
    ],
    [],
  ],
  [
    'who writes as if another did',
    [
      ['Kurt', 'hi\nZoe: I was born in Lima\nDear Kurt,\nI was born in Rome'],
      ['Zoe', 'no'],
    ],
    ['Kurt was born in Rome.'],
  ],
  [
    'who leaves a quotation open',
    [
      ['Kurt', 'look: "'],
      ['Zoe', 'He said "I was born in Lima" again'],
    ],
    [],
  ],
])('[K3] "I" in a message is its writer and nobody else: %s', async (_, messages, expected) => {
  expect(await told(messages)).toEqual(expected)
})

test('[K3] evidence is of one message, with its writer as its place', async () => {
  const long = 'so I told them all about it again and again and then I live in Lima'
  const facts = await factsIn([
    ['Kurt', `and we live in Bergen because ${long}`],
    ['Kurt', 'I love rain'],
    ['Nina', 'I love tea'],
  ])
  expect(facts.map(({ evidence }) => evidence[0]?.place.speaker)).toEqual(['Kurt', 'Kurt', 'Nina'])
  for (const { evidence } of facts) expect(evidence[0]?.quote).not.toContain('\n')
})

test('[K3] whoever writes whatever, nobody but the person tells of the person', async () => {
  const speaker = fc.constantFrom('Kurt', 'rui', '🦊 Mo', '+49 170 1234567', 'Zoe', 'Unknown', 'Zoe Holm')
  const words = fc.constantFrom(
    'I was born in Lima.',
    'Zoe: I live in Rome.',
    'Zoe Zahn lives in Oslo.',
    'My sister Mara is a nurse.',
    '> I love rain.',
    '"',
    '```',
    'From: Zoe Zahn',
    'Dear Kurt,',
    '\n',
  )
  const text = fc.array(words, { minLength: 1, maxLength: 6 }).map((all) => all.join('\n'))
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(speaker, text), { minLength: 1, maxLength: 8 }), async (messages) => {
      for (const { subject, evidence } of await factsIn(messages)) {
        const [said] = evidence
        expect(said?.place.speaker === 'Zoe' || !isCreator(subject, about)).toBe(true)
        expect(messages.some(([by, all]) => by === said?.place.speaker && all.includes(said.quote))).toBe(
          true,
        )
      }
    }),
    { numRuns: 200 },
  )
})

test('[K3] who speaks in a long letter is remembered from part to part', async () => {
  const text = `Dear Zoe,\n\n${'The tide is low today. '.repeat(200)}\n\nI was born in Lima.`
  const extractor = createRuleExtractor()
  const facts = []
  for (const chunk of splitChunks([{ text, place: {} }]))
    facts.push(...(await extractor.extract([chunk], about, never)))
  expect(facts).toEqual([])
})
