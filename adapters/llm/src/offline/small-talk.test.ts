import { expect, test } from 'vitest'
import { smallTalk } from './small-talk.ts'

const ADA = { name: 'Ada Winter', owner: 'Ada Winter', actions: ['retrieve-context'] }

test.each<[string, RegExp]>([
  ['Hello!', /^Hello\. I am the reflection of Ada Winter/],
  ['Hi, how are you today?', /have no moods.*sources of Ada Winter/],
  ['Who are you?', /reflection of Ada Winter.*Parley's built-in offline model/],
  ['Which model is this?', /Parley's built-in offline model/],
  ['What can you do?', /^Ask me about Ada Winter: I look it up in the sources/],
  ['Thanks a lot.', /^You are welcome\.$/],
  ['Goodbye.', /^Goodbye\./],
])('[X2] “%s” is answered at once', (said, expected) => {
  expect(smallTalk(said, ADA)).toMatch(expected)
})

test.each([
  'Who are you married to?',
  'What are you afraid of?',
  'How are you related to Liv?',
  'Hello, where were you born?',
  'Thanks, and where was that?',
  'What do you know about pears?',
])('[X2] “%s” is looked up', (said) => {
  expect(smallTalk(said, ADA)).toBeUndefined()
})

test('[V2] it offers to keep something only where the policy allows it', () => {
  const keeps = { ...ADA, actions: ['retrieve-context', 'request-source-ingest'] }
  expect(smallTalk('What can you do?', keeps)).toContain('remember that')
  expect(smallTalk('What can you do?', ADA)).not.toContain('remember that')
})
