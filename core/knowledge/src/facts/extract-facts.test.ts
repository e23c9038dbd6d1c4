import type { Place } from '@parley/contracts'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { splitChunks } from '../chunks/split-chunks.ts'
import { createRuleExtractor } from './extract-facts.ts'
import { PREDICATES } from './predicates.ts'

const context = { displayName: 'Ada Holm', title: 'Notes' }
const never = new AbortController().signal

const factsIn = (text: string, place: Place = {}) =>
  createRuleExtractor().extract(splitChunks([{ text, place }]), context, never)

const extract = async (text: string, place?: Place) =>
  (await factsIn(text, place)).map(({ subject, predicate, object, validFrom, validTo }) =>
    [subject, predicate, object, validFrom, validTo].filter((part) => part !== undefined).join(' | '),
  )

test.each<[string, readonly string[]]>([
  ['I live in Oslo.', ['Ada Holm | lives_in | Oslo']],
  ['I’ve lived in Port Ellis since 2004.', ['Ada Holm | lives_in | Port Ellis | 2004']],
  ['I used to live in Hamburg until 1984.', ['Ada Holm | lived_in | Hamburg | 1984']],
  ['In May 1999 I moved to Bergen.', ['Ada Holm | moved_to | Bergen | 1999-05']],
  [
    'I was born in Holm Harbour on 3 May 1968.',
    ['Ada Holm | born_in | Holm Harbour | 1968-05-03', 'Ada Holm | born_on | 1968-05-03'],
  ],
  ['I grew up on Tern Island.', ['Ada Holm | grew_up_in | Tern Island']],
  [
    'I work as a marine biologist at the Institute of Tides.',
    ['Ada Holm | works_as | marine biologist', 'Ada Holm | works_at | Institute of Tides'],
  ],
  ['I am a ferry captain.', ['Ada Holm | is_a | ferry captain']],
  ['I am not a doctor.', ['Ada Holm | not_is_a | doctor']],
  [
    'From 1990 to 1996 I worked at the harbour office.',
    ['Ada Holm | worked_at | harbour office | 1990 | 1996'],
  ],
  [
    'I studied biology at the University of Bergen.',
    ['Ada Holm | studied_at | University of Bergen', 'Ada Holm | studied | biology'],
  ],
  ['I am married to Jens Tveit.', ['Ada Holm | married_to | Jens Tveit']],
  [
    'I love old boats, strong tea and rain.',
    ['old boats', 'strong tea', 'rain'].map((it) => `Ada Holm | likes | ${it}`),
  ],
  ['I don’t like coffee.', ['Ada Holm | dislikes | coffee']],
  ['I love to swim before breakfast.', ['Ada Holm | likes | to swim']],
  ['I prefer cold mornings.', ['Ada Holm | prefers | cold mornings']],
  ['My favourite colour is green.', ['Ada Holm | has_favourite | green']],
  ['My boat is called Wanda.', ['Ada Holm | owns | Wanda']],
  ['My cat is called Mitzi.', ['Ada Holm | owns | Mitzi']],
  ['I fed my cat Mitzi.', ['Ada Holm | owns | Mitzi']],
  [
    'We live in Oslo with our two children, Nuno and Bea.',
    ['has_relative | Nuno', 'has_relative | Bea', 'lives_in | Oslo'].map((it) => `Ada Holm | ${it}`),
  ],
  ['I have a daughter called Bea.', ['Ada Holm | has_relative | Bea']],
  ['I was at Arup from 2004 to 2012.', ['Ada Holm | was_at | Arup | 2004 | 2012']],
  ['I no longer work at Arup.', ['Ada Holm | not_works_at | Arup']],
  ['I don’t work for Arup any more.', ['Ada Holm | not_works_at | Arup']],
  ['We got divorced in 2025.', ['Ada Holm | became | divorced | 2025']],
  ['I keep bees.', ['Ada Holm | keeps | bees']],
  ['I passed my boatmaster’s licence in 2023.', ['Ada Holm | passed | boatmaster’s licence | 2023']],
  ['I have a house on the street where I was born.', ['Ada Holm | owns | house']],
  ['I bought a small boat in 2001.', ['Ada Holm | bought | small boat | 2001']],
  ['My sister Mara lives in Bergen.', ['Ada Holm | has_relative | Mara', 'Mara | lives_in | Bergen']],
  ['My father was a fisherman.', ["Ada Holm's father | was_a | fisherman"]],
  ['I speak Norwegian and English.', ['Ada Holm | speaks | Norwegian', 'Ada Holm | speaks | English']],
  ['I believe that the sea remembers.', ['Ada Holm | believes | the sea remembers']],
  ['In 2004 I founded the Tide School.', ['Ada Holm | founded | Tide School | 2004']],
  ['I wrote “The Long Ebb” in 2011.', ['Ada Holm | wrote | The Long Ebb | 2011']],
  ['I live in Oslo and I work as a nurse.', ['Ada Holm | lives_in | Oslo', 'Ada Holm | works_as | nurse']],
  ['I was born in Rome and grew up in Oslo.', ['Ada Holm | born_in | Rome', 'Ada Holm | grew_up_in | Oslo']],
  [
    'I was born in Rome and moved to Oslo in 1999.',
    ['Ada Holm | born_in | Rome', 'Ada Holm | moved_to | Oslo | 1999'],
  ],
  ['I have been allergic to shellfish since 1998.', ['Ada Holm | allergic_to | shellfish | 1998']],
  ['I drink tea, never coffee.', ['Ada Holm | drinks | tea']],
  ['I have a small boat.', ['Ada Holm | owns | small boat']],
  [
    'Jens Tveit is a painter. He lives in Rome.',
    ['Jens Tveit | is_a | painter', 'Jens Tveit | lives_in | Rome'],
  ],
  ['Ada works as a diver.', ['Ada Holm | works_as | diver']],
  ['I was adopted.', ['Ada Holm | was_a | adopted']],
  ['I have been divorced since 2006.', ['Ada Holm | is_a | divorced | 2006']],
  ['My father was master of a small ferry.', ["Ada Holm's father | was_a | master of a small ferry"]],
  ['Jens Tveit is Mara’s godfather.', ['Jens Tveit | is_a | Mara’s godfather']],
  ['I became a harbour pilot in 1999.', ['Ada Holm | became | harbour pilot | 1999']],
  ['In 2011 I met Jens Tveit on a tram.', ['Ada Holm | met | Jens Tveit | 2011']],
  [
    'My sister Mara makes Hardanger fiddles now.',
    ['Ada Holm | has_relative | Mara', 'Mara | makes | Hardanger fiddles'],
  ],
  ['Jens Tveit mends trams.', ['Jens Tveit | mends | trams']],
  ['From 1990 to 1995 I led the Tide School.', ['Ada Holm | led | Tide School | 1990 | 1995']],
  ['My father ran the ferry to Sundrey.', ["Ada Holm's father | ran | ferry to Sundrey"]],
  ['I learned to swim in 1975.', ['Ada Holm | learned | to swim | 1975']],
  ['I gave up diving in 2022.', ['Ada Holm | gave_up | diving | 2022']],
  ['I am writing a book about ferries.', ['Ada Holm | is_writing | book about ferries']],
  ['I have Ménière’s.', ['Ada Holm | has_condition | Ménière’s']],
  ['Mara was diagnosed with asthma in 2001.', ['Mara | has_condition | asthma | 2001']],
  ['I went to Rome with my sister Mara.', ['Ada Holm | has_relative | Mara']],
  ['I have two boys who’d like to go to sea.', ['Ada Holm | owns | two boys']],
  ['Ich wohne in Kiel.', ['Ada Holm | lives_in | Kiel']],
  ['Ich arbeite als Ärztin.', ['Ada Holm | works_as | Ärztin']],
  ['Ich bin in Husum geboren.', ['Ada Holm | born_in | Husum']],
  ['Meine Schwester heißt Lena.', ['Ada Holm | has_relative | Lena']],
])('[K3] %s', async (text, expected) => {
  expect(await extract(text)).toEqual(expected)
})

test.each([
  ['a question', 'Do I live in Oslo? I live in Oslo?'],
  ['a condition', 'If I live in Oslo, I am a nurse.'],
  ['a wish', 'I wish I lived in Oslo.'],
  ['what might be', 'I would live in Oslo. I might move to Rome.'],
  ['a negation', 'I never lived in Oslo. I do not live in Rome. It is not true that I live in Kiel.'],
  ['reported speech', 'Mara says I live in Oslo. They claim that I work as a spy.'],
  ['reported speech, named afterwards', 'I live in Oslo, she said.'],
  ['a quotation', '“I live in Oslo,” said Mara. "I love rain. I hate tea." „Ich wohne in Kiel.“'],
  ['an open quotation', 'She wrote: “I live in Oslo.\nI love rain.'],
  ['a quoted mail', '> I live in Oslo.\n> I love rain.'],
  ['a rumour', 'Apparently I live in Oslo. According to the papers I am a spy.'],
  ['a relative clause', 'I saw Tom, who was there and grew up in Rome.'],
  ['a pronoun without a subject', 'She lives in Oslo.'],
  ['a feeling', 'I have a feeling. I am a little tired. I have an exam.'],
  ['no trade', 'I make mistakes. Mara makes plans. Tom makes a noise. He makes me laugh.'],
  ['another person’s possession', 'I have Mara’s jersey with me.'],
  ['a sentence to the reader', 'I bought your boat. I am writing a book about your mother.'],
  ['a destination', 'I’m going to the dentist on Tuesday. I am going to Rome.'],
  ['a plan for a day', 'I am going to paint the boat tomorrow.'],
  ['an adverb', 'I studied hard. I studied abroad.'],
  ['a temporary state', 'I work at the hospital till 8. I work at the harbour office today.'],
  [
    'a relative date in an undated text',
    'I sold the Volvo today. Yesterday I sold the boat. I bought a car last week.',
  ],
  ['an age in an undated text', 'I’m 42 years old.'],
  ['a small purchase', 'I bought a bun. We bought some milk.'],
  ['an insult', 'Lena Fox is an idiot. Tom is a complete liar.'],
  ['mixed languages', 'I work at the Bank und live in Kiel. My Schwester lives in Oslo.'],
  ['a block of code', 'Notes\n\n```\nI live in Oslo.\n```\n\n~~~text\nI love rain.\n~~~'],
  ['indented code', 'Notes\n\n    I live in Oslo.\n\n    I love rain.\n'],
  ['inline code', 'It prints `I live in Oslo.` twice.'],
  ['a quotation in single quotes', "Mara: 'I live in Oslo.' Then: 'It's late. I love rain!'"],
  [
    'a quoted mail below an answer',
    'See below.\n\nOn 3 May 2020, Kurt Holz wrote:\n\nI live in Lima.\nI love rain.',
  ],
  ['a forwarded mail', 'FYI\n\n---------- Forwarded message ---------\nI live in Lima.'],
  ['a chat line', 'rui: I live in Lima\n[10:02] +49 170 1234567: I love rain\n🦊 Mo: My job is a spy'],
  ['a pronoun as object', 'I love it. I like that. I hate this.'],
])('[K3] finds no fact in %s', async (_, text) => {
  expect(await extract(text)).toEqual([])
})

test.each([
  [
    'of another clause',
    'My father was a captain, and her last run was in 1994.',
    "Ada Holm's father | was_a | captain",
  ],
  ['of another person’s action', 'He left in 2005 and I was divorced.', 'Ada Holm | was_a | divorced'],
])('[K2] a date %s is not used for a fact', async (_, text, expected) => {
  expect(await extract(text)).toEqual([expected])
})

test('[K3] the first verb of a note is not a name that "she" refers to', async () => {
  expect(await extract('Paid the last of it. She lives in Oslo. Terrible row. She hates tea.')).toEqual([])
  expect(await extract('Mara came to lunch. She lives in Oslo.')).toEqual(['Mara | lives_in | Oslo'])
})

test('[K3] in an interview "I" is the speaker, and questions are not facts', async () => {
  const text =
    'Interviewer: I live in Rome. Where do you live?\nAda: I live in Oslo.\nI love rain.\nMara: I live in Bergen.'
  expect(await extract(text)).toEqual([
    'Ada Holm | lives_in | Oslo',
    'Ada Holm | likes | rain',
    'Mara | lives_in | Bergen',
  ])
  expect(await extract('I live in Rome.', { speaker: 'Interviewer' })).toEqual([])
  expect(await extract('I live in Rome.', { speaker: 'Ada Holm' })).toEqual(['Ada Holm | lives_in | Rome'])
  expect(await extract('I live in Rome.', { speaker: 'Mara' })).toEqual(['Mara | lives_in | Rome'])
})

test.each(['Agent', 'Assistant', 'ChatGPT', 'Claude'])(
  '[V5] statements of a program are not facts: %s',
  async (speaker) => {
    expect(await extract('Mara lives in Bergen. Ada lives in Rome. I live in Oslo.', { speaker })).toEqual([])
  },
)

test('[V5] a person with the name of a program can state facts', async () => {
  const chunks = splitChunks([{ text: 'I live in Oslo.', place: { speaker: 'Claude' } }])
  const facts = await createRuleExtractor().extract(chunks, { ...context, displayName: 'Claude Holm' }, never)
  expect(facts.map(({ statement }) => statement)).toEqual(['Claude Holm lives in Oslo.'])
})

test.each<[string, readonly string[]]>([
  ['I adopted a cat called Mimi. My sister Mara lives in Oslo.', []],
  ['Ada: I live in Oslo.', []],
  ['Dear Mara, I live in Oslo.', []],
  ['I told Ada that Ada Holm lives in Oslo.', []],
  ['Ada Holm lives in Oslo.', ['Ada Holm | lives_in | Oslo']],
  ['Mara lives in Bergen.', ['Mara | lives_in | Bergen']],
])('[V5] a conversation only gives facts that name their subject: %s', async (text, expected) => {
  const chunks = splitChunks([{ text, place: {} }])
  const facts = await createRuleExtractor().extract(chunks, { ...context, isFromConversation: true }, never)
  expect(facts.map(({ subject, predicate, object }) => `${subject} | ${predicate} | ${object}`)).toEqual(
    expected,
  )
})

test('[K3] a letter to the person has another author; a letter to somebody else is theirs', async () => {
  expect(await extract('Dear Ada,\n\nI live in Rome.')).toEqual([])
  expect(await extract('Dear Mara,\n\nI live in Rome.')).toEqual(['Ada Holm | lives_in | Rome'])
  expect(await extract('From: Somebody Else <s@example.org>\n\nI live in Rome.')).toEqual([])
})

test('[K3] reads the lines of a CV by their heading', async () => {
  const text = '- 2001–2010: Research scientist, Institute of Tides\n- 2010–present: Director, Tide School'
  expect(await extract(text, { heading: 'Work experience' })).toEqual([
    'Ada Holm | worked_as | Research scientist | 2001 | 2010',
    'Ada Holm | worked_at | Institute of Tides | 2001 | 2010',
    'Ada Holm | works_as | Director | 2010',
    'Ada Holm | works_at | Tide School | 2010',
  ])
  expect(await extract(text, { heading: 'Recipes' })).toEqual([])
  expect(
    await extract(
      '- **Deckhand, ferry *Anna*, May 1990 to 1991.** Ropes.\n\n- Adviser, Tide School, since 2024.',
      {
        heading: 'Posts',
      },
    ),
  ).toEqual([
    'Ada Holm | worked_as | Deckhand | 1990-05 | 1991',
    'Ada Holm | worked_at | ferry Anna | 1990-05 | 1991',
    'Ada Holm | works_as | Adviser | 2024',
    'Ada Holm | works_at | Tide School | 2024',
  ])
  expect(await extract('- Degree in zoology, Aberdeen, 1986 to 1990.', { heading: 'Education' })).toEqual([
    'Ada Holm | studied | zoology | 1986 | 1990',
    'Ada Holm | studied_at | Aberdeen | 1986 | 1990',
  ])
  expect(await extract('- *The Long Ebb* (Tern Press, 2013).', { heading: 'Books' })).toEqual([
    'Ada Holm | wrote | The Long Ebb | 2013',
  ])
  expect(await extract('English. Norwegian, fluent.', { heading: 'Languages' })).toEqual([
    'Ada Holm | speaks | English',
    'Ada Holm | speaks | Norwegian',
  ])
})

test('[K2] a fact that can change has the date of its text', async () => {
  expect(await extract('I live in Oslo.', { date: '2020-05-01T10:00' })).toEqual([
    'Ada Holm | lives_in | Oslo | 2020-05-01',
  ])
})

test.each([
  ['I sold the Volvo today.', 'sold | Volvo | 2024-03-01'],
  ['Yesterday I sold the boat.', 'sold | boat | 2024-02-29'],
  ['Two years ago I moved to Rome.', 'moved_to | Rome | 2022'],
  ['I moved to Rome last month.', 'moved_to | Rome | 2024-02'],
  ['I’m 42 years old.', 'aged | 42 years | 2024-03-01'],
])('[K2] a relative date is resolved from the date of the text: %s', async (text, expected) => {
  expect(await extract(text, { date: '2024-03-01T10:00:00Z' })).toEqual([`Ada Holm | ${expected}`])
})

test('[K3] further words in a CV entry belong to it, and a role is not a place', async () => {
  const text =
    '**Researcher, later head of the survey, Tide Station, 1996 to 2009.** Mapped reefs. Head of the survey from 2002.'
  expect(await extract(text, { heading: 'Posts' })).toEqual([
    'Ada Holm | worked_as | Researcher | 1996 | 2009',
    'Ada Holm | worked_at | Tide Station | 1996 | 2009',
  ])
})

test('[K3] after code and quotations the person is the speaker again', async () => {
  const text = '```\nI live in Rome.\n```\n\nOn 3 May 2020, Kurt wrote:\n> I live in Lima.\n\nI live in Oslo.'
  expect(await extract(text)).toEqual(['Ada Holm | lives_in | Oslo'])
})

test('[K3] facts have a sentence, keys and an exact quote', async () => {
  const text = 'Today is cold. I love my sister’s boat. In 1999 I moved to Port Ellis, Maine.'
  const facts = await factsIn(text, { line: 4 })
  expect(facts.map(({ statement }) => statement)).toEqual([
    "Ada Holm likes Ada Holm's sister’s boat.",
    'Ada Holm moved to Port Ellis, Maine in 1999.',
  ])
  expect(facts[1]).toMatchObject({
    subjectKey: 'ada holm',
    objectKey: 'port ellis maine',
    evidence: [{ quote: 'In 1999 I moved to Port Ellis, Maine.', chunk: 1, place: { line: 4 } }],
  })
})

test('[K3] facts of any text are valid, quoted, limited in number and reproducible', async () => {
  const words =
    'I my sister Mara live in love Oslo 1999 since “ ” . , ? and who is a called boat He said if not > Ada:'
  const anyText = fc.oneof(
    fc.array(fc.constantFrom(...words.split(' '), '\n'), { maxLength: 200 }).map((all) => all.join(' ')),
    fc.string({ unit: 'grapheme', maxLength: 600 }),
  )
  await fc.assert(
    fc.asyncProperty(anyText, async (text) => {
      const chunks = splitChunks([{ text, place: {} }])
      const facts = await createRuleExtractor().extract(chunks, context, never)
      for (const { predicate, evidence, confidence, statement } of facts) {
        expect(Object.keys(PREDICATES)).toContain(predicate)
        expect(confidence).toBeGreaterThan(0.4)
        expect(confidence).toBeLessThanOrEqual(1)
        expect(statement).toMatch(/\.$/)
        for (const { quote, chunk } of evidence) expect(chunks[chunk - 1]?.text).toContain(quote)
      }
      expect(facts.length).toBeLessThanOrEqual(chunks.length * 40)
      expect(await createRuleExtractor().extract(chunks, context, never)).toEqual(facts)
    }),
    { numRuns: 200 },
  )
})
