import type { LlmMessage } from '@parley/engine'
import { expect, test } from 'vitest'
import { wholeQuestion } from './resolve-question.ts'

const user = (text: string): LlmMessage => ({ role: 'user', content: [{ type: 'text', text }] })
const whole = (...said: readonly string[]) => wholeQuestion(said.map(user))

test.each<[readonly string[], string, string]>([
  [['Where were you born?', 'And when?'], 'Where were you born? And when?', 'follow-up'],
  [['Where were you born?', 'And when?', 'Why?'], 'Where were you born? Why?', 'follow-up'],
  [['Who is Liv?', 'Tell me more.'], 'Who is Liv?', 'more'],
  [['Who is Liv?', 'What else?'], 'Who is Liv?', 'more'],
  [['Who is Liv?', 'When did she move to Kent?'], 'When did she move to Kent?', 'question'],
  [['When?'], 'When?', 'question'],
])('[X2] %j is asked as a whole', (said, text, kind) => {
  expect(whole(...said)).toEqual({ text, kind, last: said.at(-1) })
})
