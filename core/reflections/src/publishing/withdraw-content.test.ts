import type { PersonId, ReflectionId, SessionId, SourceId } from '@parley/contracts'
import { expect, test } from 'vitest'
import { withWithdrawal } from './withdraw-content.ts'

const reflectionId = 'rfl_1' as ReflectionId
const by = 'per_ada' as PersonId
const sourceId = 'src_1' as SourceId
const ended = ['ses_1' as SessionId]

/** A store and its host, and the steps that they took. */
function recordSteps(isReplacing: boolean) {
  const steps: string[] = []
  const step =
    <Result>(name: string, result: Result) =>
    async () => {
      steps.push(name)
      return result
    }
  const store = withWithdrawal(
    {
      remove: step('remove', undefined),
      unpublish: step('unpublish', { ended, reflection: reflectionId }),
      addSource: step('add', isReplacing ? { endedSessions: { ended } } : {}),
      removeSource: step('remove source', { ended }),
    },
    {
      agentCleanup: {
        closeAgents: async (_, surfaces) => void steps.push(`close ${surfaces} agents`),
        prepareRemoval: step('prepare', () => void steps.push('remove agents')),
      },
      sessions: {
        cancel: async (sessionId) => steps.push(`cancel ${sessionId}`) > 0,
        end: async (sessionId) => void steps.push(`end ${sessionId}`),
      },
      logger: { warn: (about) => void steps.push(JSON.stringify(about)) },
      wait: async () => {},
    },
  )
  return { store, steps }
}

const STOPPED = ['cancel ses_1', 'end ses_1']

test('[P8] after an unpublish the public agents are closed, then its sessions stop', async () => {
  const { store, steps } = recordSteps(false)
  expect(await store.unpublish(reflectionId, ['essays'], by)).toEqual({ ended, reflection: reflectionId })
  expect(steps).toEqual(['unpublish', 'close public agents', ...STOPPED])
})

test('[X5] after a source is removed all agents are closed, then its sessions stop', async () => {
  const { store, steps } = recordSteps(false)
  await store.removeSource(reflectionId, sourceId, by)
  expect(steps).toEqual(['remove source', 'close all agents', ...STOPPED])
})

test.each<[string, boolean, readonly string[]]>([
  ['a new source', false, ['add']],
  ['a version that replaces published content', true, ['add', 'close public agents', ...STOPPED]],
])('[P8] %s is followed by what it demands', async (_, isReplacing, expected) => {
  const { store, steps } = recordSteps(isReplacing)
  await store.addSource(reflectionId, {}, by)
  expect(steps).toEqual(expected)
})

test('[X5] the agents of a reflection are read before it is removed, and removed after it', async () => {
  const { store, steps } = recordSteps(false)
  await store.remove(reflectionId, by)
  expect(steps).toEqual(['prepare', 'remove', 'remove agents'])
})
