import type { PersonId, Reflection, ReflectionId, SessionId, Source, SourceId } from '@parley/contracts'
import { expect, test } from 'vitest'
import { addSource, removeSource } from '../sources/change-sources.ts'
import { removeReflection } from './remove-reflection.ts'
import { unpublishNamespaces } from './withdraw-content.ts'

const reflectionId = 'rfl_1' as ReflectionId
const personId = 'per_ada' as PersonId
const sourceId = 'src_1' as SourceId
const reflection = { id: reflectionId } as Reflection
const source = { id: sourceId, namespace: 'essays' } as Source
const ended = ['ses_1' as SessionId]
const member = {
  reflectionId,
  personId,
  role: 'owner' as const,
  reach: undefined,
  knowledge: { findSource: async () => source },
}
const content = { namespace: 'essays', bytes: new Uint8Array(1) }

/** A host, and the steps that were taken on it. */
function recordSteps(isReplacing = false) {
  const steps: string[] = []
  const step =
    <Result>(name: string, result: Result) =>
    async () => {
      steps.push(name)
      return result
    }
  const host = {
    reflections: {
      remove: step('remove', undefined),
      unpublish: step('unpublish', { ended, reflection }),
      addSource: step('add', { ...source, ...(isReplacing && { endedSessions: { ended } }) }),
      removeSource: step('remove source', { ended }),
    },
    agentCleanup: {
      closeAgents: async (_: ReflectionId, surfaces: string) => void steps.push(`close ${surfaces} agents`),
      prepareRemoval: step('prepare', () => void steps.push('remove agents')),
    },
    sessions: {
      cancel: async (sessionId: SessionId) => steps.push(`cancel ${sessionId}`) > 0,
      end: async (sessionId: SessionId) => void steps.push(`end ${sessionId}`),
    },
    sessionRows: { listCalls: async () => [] },
    logger: { warn: (about: unknown) => void steps.push(JSON.stringify(about)) },
    wait: async () => {},
    deadline: () => new AbortController().signal,
  }
  return { host, steps }
}

const STOPPED = ['cancel ses_1', 'end ses_1']

test('[P8] after an unpublish the public agents are closed, then its sessions stop', async () => {
  const { host, steps } = recordSteps()
  expect(await unpublishNamespaces(reflectionId, ['essays'], personId, host)).toEqual(reflection)
  expect(steps).toEqual(['unpublish', 'close public agents', ...STOPPED])
})

test('[X5] after a source is removed all agents are closed, then its sessions stop', async () => {
  const { host, steps } = recordSteps()
  expect(await removeSource(member, sourceId, host)).toEqual({ ...source, state: 'removing' })
  expect(steps).toEqual(['remove source', 'close all agents', ...STOPPED])
})

test.each<[string, boolean, readonly string[]]>([
  ['a new source', false, ['add']],
  ['a version that replaces published content', true, ['add', 'close public agents', ...STOPPED]],
])('[P8] %s is followed by what it demands', async (_, isReplacing, expected) => {
  const { host, steps } = recordSteps(isReplacing)
  expect(await addSource(member, content, host)).toEqual(source)
  expect(steps).toEqual(expected)
})

test('[X5] the agents of a reflection are read before it is removed, and removed after it', async () => {
  const { host, steps } = recordSteps()
  await removeReflection(reflectionId, personId, host)
  expect(steps).toEqual(['prepare', 'remove', 'remove agents'])
})
