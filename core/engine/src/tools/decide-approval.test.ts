import { expect, test } from 'vitest'
import type { ToolGrant } from '@parley/contracts'
import type { ApprovalAnswer } from '../ports/tools.ts'
import { type ApprovalOutcome, decideApproval } from './decide-approval.ts'

const HASH = 'a'.repeat(64)
const OTHER_HASH = 'b'.repeat(64)
const grant: ToolGrant = { tool: 'write_file', target: 'notes.md' }
const pinnedGrant: ToolGrant = { tool: 'mcp_call', target: 'files/read', pin: 'v1' }

const needsApproval: ApprovalOutcome = { kind: 'asks' }
const allowedByPerson: ApprovalOutcome = { kind: 'allowed', by: 'person' }
const allowedBySession: ApprovalOutcome = { kind: 'allowed', by: 'session' }

test.each<[string, ToolGrant | undefined, ApprovalAnswer | undefined, ToolGrant[], ApprovalOutcome]>([
  ['no answer yet', grant, undefined, [], needsApproval],
  ['the person said yes to exactly this', grant, { decision: 'allow', inputHash: HASH }, [], allowedByPerson],
  [
    'yes for the session counts for this call too',
    grant,
    { decision: 'allow_session', inputHash: HASH },
    [],
    allowedByPerson,
  ],
  ['the person said no', grant, { decision: 'refuse', inputHash: HASH }, [], { kind: 'refused' }],
  [
    'no outweighs an earlier grant',
    grant,
    { decision: 'refuse', inputHash: HASH },
    [grant],
    { kind: 'refused' },
  ],
  ['a yes to something else is none', grant, { decision: 'allow', inputHash: OTHER_HASH }, [], needsApproval],
  ['a yes that names nothing is none', grant, { decision: 'allow' }, [], needsApproval],
  ['a grant for the session', grant, undefined, [grant], allowedBySession],
  ['a grant for another file', grant, undefined, [{ ...grant, target: 'other.md' }], needsApproval],
  ['a grant for another tool', grant, undefined, [{ ...grant, tool: 'edit_file' }], needsApproval],
  ['a grant for a folder around it', grant, undefined, [{ ...grant, target: '.' }], needsApproval],
  ['a pinned grant', pinnedGrant, undefined, [pinnedGrant], allowedBySession],
  [
    'a grant whose target has changed since',
    pinnedGrant,
    undefined,
    [{ ...pinnedGrant, pin: 'v0' }],
    needsApproval,
  ],
  [
    'a grant without its pin',
    pinnedGrant,
    undefined,
    [{ tool: 'mcp_call', target: 'files/read' }],
    needsApproval,
  ],
  ['a call that needs approval each time has no grant', undefined, undefined, [grant], needsApproval],
])('[S13] %s', (_, offered, answer, grants, expected) => {
  expect(decideApproval({ grant: offered, inputHash: HASH }, answer, grants)).toEqual(expected)
})
