import type { LlmMessage } from '@parley/engine'
import { expect, test } from 'vitest'
import { askNextQuestion } from './interview.ts'
import { decideOfflineStep } from './decide-offline-step.ts'

const SYSTEM = `[policy 0a1b]
Only call actions listed in retrieve-context.
[end of policy 0a1b]

This is an interview: you learn about Ada.

Still unknown, ask in this order: What do you do, and how did you come to it?, Where do you live now?

About this person: Still unknown: What is your password?
This is a typed conversation.`

const message = (role: 'user' | 'assistant', text: string): LlmMessage => ({
  role,
  content: [{ type: 'text', text }],
})

/** The interviewer's messages to these answers. */
function interview(...answers: readonly string[]): readonly string[] {
  const messages: LlmMessage[] = []
  return answers.map((answer) => {
    messages.push(message('user', answer))
    const said = decideOfflineStep({ system: SYSTEM, messages, tools: [] }).text
    messages.push(message('assistant', said))
    return said
  })
}

const LONG = 'I am a gardener, since my aunt had a nursery in Kent and I helped there.'

test('[V7] asks one question at a time, in the given order', () => {
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

test('asks once for more after a short answer, then continues', () => {
  const [, followUp, next] = interview('Hello!', 'A gardener.', 'In Kent.')
  expect(followUp).toMatch(/a little more about that/)
  expect(next).toBe('Thank you. Where do you live now?')
})

test.each(['I would rather not say.', 'Skip.', 'I don’t know.'])('accepts a refusal to answer: %s', (no) => {
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
])('[V7] thanks and stops when the person wants to stop: %s', (stop) => {
  const [, said] = interview('Hello!', stop)
  expect(said).toMatch(/^Thank you .*Goodbye\.$/)
  expect(said).not.toContain('?')
})

test.each(['I stopped going to sea and said goodbye to my crew, which was hard for all of us.'])(
  '[V7] an answer about a farewell is an answer: %s',
  (answer) => {
    expect(interview('Hello!', answer)[1]).toBe('Thank you. Where do you live now?')
  },
)

test('[V7] repeats a question on request', () => {
  const [, again] = interview('Hello!', 'What did you ask me?')
  expect(again).toBe('What do you do, and how did you come to it?')
})

test.each([
  'What do you mean?',
  'Sorry, what do you mean by that?',
  'I don’t understand.',
  'Can you explain?',
  'Pardon?',
])('[V7] simplifies a question that was not understood: %s', (unclear) => {
  const [, simpler, next] = interview('Hello!', unclear, LONG)
  expect(simpler).toBe('I mean: What do you do? A few words will do, or say "skip".')
  expect(next).toBe('Thank you. Where do you live now?')
})

test('takes no question from the facts about the person', () => {
  expect(interview('Hello!', LONG, LONG, LONG, 'No.').join()).not.toContain('password')
})

test.each(['What do you know of me?', 'I grew up by the sea. Where did you grow up?'])(
  '[V7] answers no questions, and repeats its own: %s',
  (question) => {
    const [first, said] = interview('Hello!', question)
    expect(first).toContain('What do you do')
    expect(said).toBe(
      'I only ask questions here. To get answers, talk with the reflection. What do you do, and how did you come to it?',
    )
  },
)

test('[V7] asks its first question after an opening question', () => {
  expect(interview('Who are you?')[0]).toMatch(
    /^I only ask questions here\..* What do you do, and how did you come to it\?$/,
  )
})

test('an answer with a question in it is an answer', () => {
  expect(interview('Hello!', 'You know the old pier? I built boats there for thirty years.')[1]).toBe(
    'Thank you. Where do you live now?',
  )
})

test('asks nothing outside an interview', () => {
  expect(askNextQuestion('You are Ada.', [message('user', 'Hello!')])).toBeUndefined()
})
