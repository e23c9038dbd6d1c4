import fc from 'fast-check'
import { expect, test } from 'vitest'
import { splitChunks } from '../chunks/split-chunks.ts'
import { createRuleExtractor } from './extract-facts.ts'
import { isCreator } from './names.ts'

const context = { displayName: 'Zoe Zahn', title: 'A chat' }
const never = new AbortController().signal

type Message = readonly [speaker: string, text: string]

const splitChat = (messages: readonly Message[]) =>
  splitChunks(messages.map(([speaker, text]) => ({ text, place: { speaker, date: '2023-03-12T21:14' } })))

const factsIn = (messages: readonly Message[]) =>
  createRuleExtractor().extract(splitChat(messages), context, never)

const readStatements = async (messages: readonly Message[]) =>
  (await factsIn(messages)).map(({ statement }) => statement)

test.each<[string, readonly Message[], readonly string[]]>([
  [
    'a single speaker',
    [
      ['Kurt', 'I was born in Lima'],
      ['Nina', 'nice'],
    ],
    ['Kurt was born in Lima.'],
  ],
  [
    'a lower-case name',
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
  ['one speaker alone', [['Kurt', 'I was born in Lima']], ['Kurt was born in Lima.']],
  [
    'the person',
    [
      ['zoe zahn', 'I was born in Lima'],
      ['Kurt', 'ok'],
    ],
    ['Zoe Zahn was born in Lima.'],
  ],
  [
    'a speaker who writes about the person',
    [
      ['Kurt', 'Zoe was born in Lima. Zoe Zahn lives in Rome.'],
      ['Zoe', 'no'],
    ],
    [],
  ],
  [
    'a message with labels of others',
    [
      ['Kurt', 'hi\nZoe: I was born in Lima\nDear Kurt,\nI was born in Rome'],
      ['Zoe', 'no'],
    ],
    ['Kurt was born in Rome.'],
  ],
  [
    'an open quotation',
    [
      ['Kurt', 'look: "'],
      ['Zoe', 'He said "I was born in Lima" again'],
    ],
    [],
  ],
])('[K3] "I" in a message is its author: %s', async (_, messages, expected) => {
  expect(await readStatements(messages)).toEqual(expected)
})

test('[K3] evidence is from one message and names its author', async () => {
  const long = 'so I told them all about it again and again and then I live in Lima'
  const facts = await factsIn([
    ['Kurt', `and we live in Bergen because ${long}`],
    ['Kurt', 'I love rain'],
    ['Nina', 'I love tea'],
  ])
  expect(facts.map(({ evidence }) => evidence[0]?.place.speaker)).toEqual(['Kurt', 'Kurt', 'Nina'])
  for (const { evidence } of facts) expect(evidence[0]?.quote).not.toContain('\n')
})

test('[K3] only the person’s own messages give facts about them', async () => {
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
        const [quoted] = evidence
        expect(quoted?.place.speaker === 'Zoe' || !isCreator(subject, context)).toBe(true)
        expect(
          messages.some(([author, all]) => author === quoted?.place.speaker && all.includes(quoted.quote)),
        ).toBe(true)
      }
    }),
    { numRuns: 200 },
  )
})

test('[K3] the author of a long letter is remembered from chunk to chunk', async () => {
  const text = `Dear Zoe,\n\n${'The tide is low today. '.repeat(200)}\n\nI was born in Lima.`
  const extractor = createRuleExtractor()
  const facts = []
  for (const chunk of splitChunks([{ text, place: {} }]))
    facts.push(...(await extractor.extract([chunk], context, never)))
  expect(facts).toEqual([])
})
