import type { LlmMessage } from '@parley/engine'
import { expect, test } from 'vitest'
import { askNextQuestion } from './interview.ts'
import { decideOffline } from './decide-offline.ts'

const SYSTEM = `[policy 0a1b]
Only call actions listed in retrieve-context.
[end of policy 0a1b]

This is an interview: you learn about Ada.

Still unknown, ask in this order: What do you do, and how did you come to it?, Where do you live now?

What is known of who is here: Still unknown: What is your password?
This is a typed conversation.`

const message = (role: 'user' | 'assistant', text: string): LlmMessage => ({
  role,
  content: [{ type: 'text', text }],
})

/** What the interviewer says to each of these in turn. */
function interview(...answers: readonly string[]): readonly string[] {
  const messages: LlmMessage[] = []
  return answers.map((answer) => {
    messages.push(message('user', answer))
    const said = decideOffline({ system: SYSTEM, messages, tools: [] }).text
    messages.push(message('assistant', said))
    return said
  })
}

const LONG = 'I am a gardener, since my aunt had a nursery in Kent and I helped there.'

test('[V7] asks one thing at a time, the least known first', () => {
  const said = interview('Hello!', LONG, LONG, LONG, 'No.')
  expect(said).toEqual([
    'I will ask one thing at a time. What do you do, and how did you come to it?',
    'Thank you. Where do you live now?',
    'Thank you. Is there anything else that should be known about you?',
    'Thank you. I have nothing more to ask today.',
    'Thank you. I have nothing more to ask today.',
  ])
  for (const text of said) expect(text.split('?').length).toBeLessThanOrEqual(2)
})

test('follows up once on a short answer, then goes on', () => {
  const [, followUp, next] = interview('Hello!', 'A gardener.', 'In Kent.')
  expect(followUp).toMatch(/a little more about that/)
  expect(next).toBe('Thank you. Where do you live now?')
})

test.each(['I would rather not say.', 'Skip.', 'I don’t know.'])('takes a no for an answer: %s', (no) => {
  expect(interview('Hello!', no)[1]).toBe('That is fine. Where do you live now?')
})

test.each([
  'Goodbye!',
  'Okay, bye for now.',
  'Can we stop?',
  'Could we please stop here for today?',
  'Thank you, that is all.',
  'I have to go now.',
  'Let’s stop.',
])('[V7] who wants to stop is thanked and asked no more: %s', (stop) => {
  const [, said] = interview('Hello!', stop)
  expect(said).toMatch(/^Thank you .*Goodbye\.$/)
  expect(said).not.toContain('?')
})

test.each(['I stopped going to sea and said goodbye to my crew, which was hard for all of us.'])(
  '[V7] an answer that only tells of a farewell is an answer: %s',
  (answer) => {
    expect(interview('Hello!', answer)[1]).toBe('Thank you. Where do you live now?')
  },
)

test('[V7] who did not catch a question hears it again', () => {
  const [, again] = interview('Hello!', 'What did you ask me?')
  expect(again).toBe('What do you do, and how did you come to it?')
})

test.each([
  'What do you mean?',
  'Sorry, what do you mean by that?',
  'I don’t understand.',
  'Can you explain?',
  'Pardon?',
])('[V7] who did not understand a question hears it in fewer words: %s', (unclear) => {
  const [, simpler, next] = interview('Hello!', unclear, LONG)
  expect(simpler).toBe('I mean: What do you do? A few words will do, or say "skip".')
  expect(next).toBe('Thank you. Where do you live now?')
})

test('what a person is known by is no question of the interview', () => {
  expect(interview('Hello!', LONG, LONG, LONG, 'No.').join()).not.toContain('password')
})

test.each(['What do you know of me?', 'I grew up by the sea. Where did you grow up?'])(
  '[V7] who asks is told who asks here, and hears the same question again: %s',
  (question) => {
    const [first, said] = interview('Hello!', question)
    expect(first).toContain('What do you do')
    expect(said).toBe(
      'I ask here and do not speak for anybody; talk with the reflection itself for that. What do you do, and how did you come to it?',
    )
  },
)

test('[V7] who begins with a question is asked the first one', () => {
  expect(interview('Who are you?')[0]).toMatch(/^I ask here .* What do you do, and how did you come to it\?$/)
})

test('an answer that holds a question is an answer', () => {
  expect(interview('Hello!', 'You know the old pier? I built boats there for thirty years.')[1]).toBe(
    'Thank you. Where do you live now?',
  )
})

test('elsewhere nothing is asked', () => {
  expect(askNextQuestion('You are Ada.', [message('user', 'Hello!')])).toBeUndefined()
})
