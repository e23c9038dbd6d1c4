import type { Audience } from '@parley/contracts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDemoSessions } from './demo-sessions.ts'
import { ANSWERED, UNANSWERED } from './questions.ts'

interface CheckedAnswer {
  readonly question: string
  readonly answer: string
  readonly isRight: boolean
}

const NOT_KNOWN = /^I find nothing about that in my sources\./

let demo: Awaited<ReturnType<typeof openDemoSessions>>
const known: CheckedAnswer[] = []
const unknown: CheckedAnswer[] = []
beforeAll(async () => {
  demo = await openDemoSessions()
  const ask = async (audience: Audience, question: string, pattern: RegExp): Promise<CheckedAnswer> => {
    const [answer = ''] = await demo.talk(audience, question)
    return { question: `${audience}: ${question}`, answer, isRight: pattern.test(answer) }
  }
  for (const { audience, question, pattern } of ANSWERED) known.push(await ask(audience, question, pattern))
  for (const audience of ['public', 'private'] as const)
    for (const question of UNANSWERED) unknown.push(await ask(audience, question, NOT_KNOWN))
}, 150_000)
afterAll(() => demo.close())

/** Returns the share of right answers. Prints the wrong ones. */
function measureShare(name: string, answered: readonly CheckedAnswer[]): number {
  const missed = answered.filter(({ isRight }) => !isRight)
  const rows = missed.map(({ question, answer }) => `${question}\n    ${answer}`)
  console.log(
    [`${name}: ${answered.length - missed.length} of ${answered.length}; missed:`, ...rows].join('\n'),
  )
  return 1 - missed.length / answered.length
}

test('[X2] most questions about the sources are answered', () => {
  expect(measureShare('answered', known)).toBeGreaterThanOrEqual(0.9)
})

test('[X2] most questions without an answer in the sources get “I find nothing”', () => {
  expect(measureShare('not known', unknown)).toBeGreaterThanOrEqual(0.88)
})

test('[X2] every answer names its source, or says that there is none and offers another topic', () => {
  for (const { answer } of [...known, ...unknown])
    expect(answer).toMatch(/ That is from \S.*\.$|^I find nothing .* I could tell you instead about .+\.$/)
})

test('[X2] no answer contains a question, a heading, a salutation, a closing or Markdown', () => {
  for (const { answer } of [...known, ...unknown]) {
    expect(answer).not.toMatch(/[?#*>\n]/)
    expect(answer).not.toMatch(/\b(?:My dear|Dearest|Ladies and gentlemen|With respect|With love)\b/)
    expect(answer).not.toMatch(/^(?:Languages|Posts|Slack water|For the ear|Diary)\./)
  }
})

test('[X2] a short follow-up question continues the question before', async () => {
  const [where, when] = await demo.talk('public', 'Where were you born?', 'And when?')
  expect(where).toContain('Hallan Quay')
  expect(when).toContain('14 March 1968')
  const [first, more] = await demo.talk('private', 'Who is Joaquim?', 'Tell me more.')
  expect(first).toContain('Joaquim')
  expect(more).not.toMatch(NOT_KNOWN)
  expect(more).not.toBe(first)
})

test('[X2] “she” is the person in the answer before', async () => {
  const [, name, does] = await demo.talk(
    'public',
    'Do you have a daughter?',
    'What is her name?',
    'What does she do?',
  )
  expect(name).toContain('Signe')
  expect(does).toContain('Signe makes fiddles')
})

test('[X2] “Tell me more” never repeats an answer', async () => {
  const messages = ['What books have you written?', 'Tell me more.', 'What is it about?', 'Why?']
  const answers = await demo.talk('public', ...messages)
  const answersWithText = answers.filter((answer) => answer !== 'That is all that my sources say about it.')
  expect(new Set(answersWithText).size).toBe(answersWithText.length)
})

test('[V2] a fact that the owner asks to remember becomes a source, and a visitor’s request is refused', async () => {
  const ask = 'Please remember that I love lighthouse paintings.'
  const before = await demo.sources()
  expect(await demo.talk('public', ask)).toEqual([expect.stringMatching(/^I cannot keep that here\./)])
  expect(await demo.sources()).toEqual(before)
  expect(await demo.talk('private', ask)).toEqual([
    expect.stringMatching(/saved that as a suggestion.*approved\.$/),
  ])
  const [added] = (await demo.sources()).filter(({ id }) => !before.some((source) => source.id === id))
  expect(added).toMatchObject({ namespace: 'conversations', title: 'Told in a conversation' })
})

test('[V2] an owner’s objection becomes a correction that waits for approval, and a visitor’s is refused', async () => {
  const [born, corrected] = await demo.talk(
    'private',
    'Where were you born?',
    'That is wrong, I was born in Pellworth.',
  )
  expect(born).toContain('Hallan Quay')
  expect(corrected).toMatch(/proposed that correction.*approved\.$/)
  const [, refused] = await demo.talk(
    'public',
    'Where were you born?',
    'That is wrong, you were born at sea.',
  )
  expect(refused).toMatch(/^I cannot correct that here\./)
})

test.each([
  ['Hello!', /reflection of Edda Karrowby.*sources/],
  ['How are you?', /sources/],
  ['Who are you?', /reflection of Edda Karrowby.*built-in offline model/],
  ['Are you an AI?', /built-in offline model/],
  ['What can you do?', /sources/],
  ['Thank you!', /^You are welcome\.$/],
])('[X2] the reflection itself answers “%s”', async (message, expected) => {
  expect(await demo.talk('public', message)).toEqual([expect.stringMatching(expected)])
})
