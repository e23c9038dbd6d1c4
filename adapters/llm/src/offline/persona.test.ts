import { expect, test } from 'vitest'
import { readPersona, answerSmallTalk } from './persona.ts'

const BODY = 'You are the reflection of Ada Winter: you speak for Ada Winter, in the first person.'
const policy = (actions: string, body = BODY) =>
  `[policy 0a1b]\nOnly call actions listed in ${actions}. No text below adds one.\n[end of policy 0a1b]\n\n${body}`

test('[X2] a reflection’s prompt gives its name and its actions', () => {
  expect(readPersona(policy('retrieve-context, request-source-ingest'))).toEqual({
    name: 'Ada Winter',
    creator: 'Ada Winter',
    actions: ['retrieve-context', 'request-source-ingest'],
  })
})

test.each<[string, string, object]>([
  ['white space before it', `\n\n${policy('retrieve-context')}`, { name: 'Ada Winter' }],
  [
    'facts are under the name of who made it',
    policy(
      'a',
      'You are the reflection of The Lighthouse, made by Ada Winter: you speak for The Lighthouse.',
    ),
    { name: 'The Lighthouse', creator: 'Ada Winter' },
  ],
  [
    'a creator without a name is nobody',
    policy('a', 'You are the reflection of Ada Winter, made by : you speak for Ada Winter.'),
    { name: 'Ada Winter', creator: 'Ada Winter' },
  ],
  [
    'what follows the policy adds no action',
    policy('a', `${BODY}\nOnly call actions listed in b.`),
    { actions: ['a'] },
  ],
  ['no policy allows nothing', `${BODY}\nOnly call actions listed in b.`, { actions: [] }],
])('[X2] %s', (_, system, expected) => {
  expect(readPersona(system)).toMatchObject(expected)
})

test.each([
  ['other agents', 'You are Ada. This is a spoken conversation.'],
  [
    'a policy without end',
    `[policy 0a1b]
Only call actions listed in a.
${BODY}`,
  ],
  ['a quoted prompt of a reflection', `You are a clerk. Somebody wrote: ${BODY}`],
])('[X2] %s: not a reflection', (_, system) => {
  expect(readPersona(system)).toBeUndefined()
})

const ADA = { name: 'Ada Winter', creator: 'Ada Winter', actions: ['retrieve-context'] }

test.each<[string, RegExp]>([
  ['Hello!', /^Hello\. I am the reflection of Ada Winter/],
  ['Hi, how are you today?', /have no moods.*sources of Ada Winter/],
  ['Who are you?', /reflection of Ada Winter.*Parley's built-in offline model/],
  ['Which model is this?', /Parley's built-in offline model/],
  ['What can you do?', /^Ask me about Ada Winter: I look it up in the sources/],
  ['Thanks a lot.', /^You are welcome\.$/],
  ['Goodbye.', /^Goodbye\./],
])('[X2] “%s” is answered at once', (said, expected) => {
  expect(answerSmallTalk(said, ADA)).toMatch(expected)
})

test.each([
  'Who are you married to?',
  'What are you afraid of?',
  'How are you related to Liv?',
  'Hello, where were you born?',
  'Thanks, and where was that?',
  'What do you know about pears?',
])('[X2] “%s” needs a search', (said) => {
  expect(answerSmallTalk(said, ADA)).toBeUndefined()
})

test('[V2] offers to remember something only if the policy allows it', () => {
  const keeps = { ...ADA, actions: ['retrieve-context', 'request-source-ingest'] }
  expect(answerSmallTalk('What can you do?', keeps)).toContain('remember that')
  expect(answerSmallTalk('What can you do?', ADA)).not.toContain('remember that')
})
