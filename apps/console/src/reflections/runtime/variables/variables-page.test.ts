import { expect, test } from 'vitest'
import { toVariablesQuery } from './variables-page.tsx'

test.each<[string, Parameters<typeof toVariablesQuery>[0], object]>([
  ['the default is a private voice session', {}, { audience: 'private', channel: 'voice' }],
  [
    'a public session has no surface and agent to choose',
    { audience: 'public', surface: 'memory', agent: 'generic', link: 'lnk_1' },
    { audience: 'public', channel: 'voice', linkId: 'lnk_1' },
  ],
  [
    'a private session has no link, and a text session no choice of agent',
    { channel: 'text', agent: 'generic', link: 'lnk_1', surface: 'memory' },
    { audience: 'private', channel: 'text', surface: 'memory' },
  ],
])('%s', (_, session, expected) => {
  expect(toVariablesQuery(session)).toEqual(expected)
})
