import { testAgent } from '@parley/engine/testing'
import { expect, test } from 'vitest'
import { findServer, type ServerSource } from './find-server.ts'

const source = (given: Partial<ServerSource> & { named: typeof testAgent.mcp_servers }): ServerSource => ({
  session: { agentSnapshot: { ...testAgent, mcp_servers: given.named } },
  policy: { mcpServers: { own: { command: 'a', isOwn: true }, theirs: { command: 'b', isOwn: false } } },
  ...given,
})

test.each<[string, string, ServerSource, object]>([
  ['one of the person', 'own', source({ named: ['own'] }), { name: 'own', command: 'a', isOwn: true }],
  ['a trusted one of a project', 'theirs', source({ named: ['theirs'] }), { command: 'b', isOwn: false }],
  [
    'one that the agent brings along is never an own one',
    'own',
    source({ named: [{ name: 'own', url: 'http://127.0.0.1/' }] }),
    { url: 'http://127.0.0.1/', isOwn: false },
  ],
  ['none that the agent does not name', 'own', source({ named: ['theirs'] }), { kind: 'refused' }],
  ['no server without config', 'constructor', source({ named: ['constructor'] }), { kind: 'refused' }],
  ['in a server process, an own one', 'own', source({ named: ['own'], ownOnly: true }), { isOwn: true }],
  [
    'in a server process, none of a project',
    'theirs',
    source({ named: ['theirs'], ownOnly: true }),
    { kind: 'refused', code: 'tool_denied' },
  ],
])('[S13] a server is found: %s', (_, name, from, expected) => {
  expect(findServer(name, from)).toMatchObject(expected)
})
