import type { Audience } from '@parley/contracts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { demoSessions } from './demo-sessions.ts'
import { ANSWERED, UNANSWERED } from './questions.ts'

interface Answered {
  readonly question: string
  readonly answer: string
  readonly isRight: boolean
}

const NOT_KNOWN = /^I find nothing about that in my sources\./

let demo: Awaited<ReturnType<typeof demoSessions>>
const known: Answered[] = []
const unknown: Answered[] = []
beforeAll(async () => {
  demo = await demoSessions()
  const ask = async (audience: Audience, question: string, says: RegExp): Promise<Answered> => {
    const [answer = ''] = await demo.talk(audience, question)
    return { question: `${audience}: ${question}`, answer, isRight: says.test(answer) }
  }
  for (const { audience, question, says } of ANSWERED) known.push(await ask(audience, question, says))
  for (const audience of ['public', 'private'] as const)
    for (const question of UNANSWERED) unknown.push(await ask(audience, question, NOT_KNOWN))
}, 150_000)
afterAll(() => demo.close())

/** The share that is right; what is not is printed. */
function shareOf(what: string, answered: readonly Answered[]): number {
  const missed = answered.filter(({ isRight }) => !isRight)
  const rows = missed.map(({ question, answer }) => `${question}\n    ${answer}`)
  console.log(
    [`${what}: ${answered.length - missed.length} of ${answered.length}; missed:`, ...rows].join('\n'),
  )
  return 1 - missed.length / answered.length
}

test('[X2] what the sources say is mostly answered', () => {
  expect(shareOf('answered', known)).toBeGreaterThanOrEqual(0.9)
})

test('[X2] what they do not say is mostly owned to be unknown', () => {
  expect(shareOf('not known', unknown)).toBeGreaterThanOrEqual(0.88)
})

test('[X2] every answer names its source, or owns that there is none and offers something else', () => {
  for (const { answer } of [...known, ...unknown])
    expect(answer).toMatch(/ That is from \S.*\.$|^I find nothing .* I could tell you instead about .+\.$/)
})

test('[X2] no answer quotes a question, a heading, a salutation or a closing, or has Markdown', () => {
  for (const { answer } of [...known, ...unknown]) {
    expect(answer).not.toMatch(/[?#*>\n]/)
    expect(answer).not.toMatch(/\b(?:My dear|Dearest|Ladies and gentlemen|With respect|With love)\b/)
    expect(answer).not.toMatch(/^(?:Languages|Posts|Slack water|For the ear|Diary)\./)
  }
})

test('[X2] the rest of a question goes on from the one before', async () => {
  const [where, when] = await demo.talk('public', 'Where were you born?', 'And when?')
  expect(where).toContain('Hallan Quay')
  expect(when).toContain('14 March 1968')
  const [first, more] = await demo.talk('private', 'Who is Joaquim?', 'Tell me more.')
  expect(first).toContain('Joaquim')
  expect(more).not.toMatch(NOT_KNOWN)
  expect(more).not.toBe(first)
})

test('[X2] “she” is whom the answer before named', async () => {
  const [, name, does] = await demo.talk(
    'public',
    'Do you have a daughter?',
    'What is her name?',
    'What does she do?',
  )
  expect(name).toContain('Signe')
  expect(does).toContain('Signe makes fiddles')
})

test('[X2] no answer is given twice to who wants to hear more', async () => {
  const said = ['What books have you written?', 'Tell me more.', 'What is it about?', 'Why?']
  const answers = await demo.talk('public', ...said)
  const told = answers.filter((answer) => answer !== 'That is all that my sources say about it.')
  expect(new Set(told).size).toBe(told.length)
})

test('[V2] what the owner wants to be kept is handed in, and a visitor is told that it cannot be here', async () => {
  const ask = 'Please remember that I love lighthouse paintings.'
  const before = await demo.sources()
  expect(await demo.talk('public', ask)).toEqual([expect.stringMatching(/^I cannot keep that here\./)])
  expect(await demo.sources()).toEqual(before)
  expect(await demo.talk('private', ask)).toEqual([expect.stringMatching(/handed that in.*approved\.$/)])
  const [added] = (await demo.sources()).filter(({ id }) => !before.some((one) => one.id === id))
  expect(added).toMatchObject({ namespace: 'conversations', title: 'Told in a conversation' })
})

test('[V2] what the owner says is wrong is proposed as a correction, and waits', async () => {
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
])('[X2] “%s” is answered as the reflection, at once', async (said, expected) => {
  expect(await demo.talk('public', said)).toEqual([expect.stringMatching(expected)])
})
