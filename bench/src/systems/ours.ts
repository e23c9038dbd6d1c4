import { randomFillSync } from 'node:crypto'
import type { Agent, PersonId, SessionId } from '@parley/contracts'
import { createRunEventBus, createIdSource, createSessions, type SessionStore } from '@parley/engine'
import { QUESTION, type BenchScript, TOOL_NAME } from './script.ts'
import type { BenchSession, BenchSystem } from './system.ts'

const AGENT: Agent = {
  id: 'bench',
  model: 'at-once',
  provider: 'bench',
  system_prompt: 'You answer questions about the harbour.',
}

/** Our engine, composed as in the apps. */
export function createOurSystem(store: SessionStore, { model, runTool }: BenchScript): BenchSystem {
  const sessions = createSessions({
    store,
    eventBus: createRunEventBus(),
    clock: Date,
    ids: createIdSource(randomFillSync),
    getModel: () => model,
    getTools: () => ({
      declarations: [{ name: TOOL_NAME, description: 'Looks a page up.', inputSchema: { type: 'object' } }],
      decide: async () => ({
        kind: 'allowed',
        decided: { by: 'policy' },
        carryOut: async () => ({ outcome: await runTool() }),
      }),
    }),
    limits: { maxTurns: 1_000_000 },
  })

  const openOurSession = (id: SessionId): BenchSession => ({
    id,
    async turn() {
      const { ended } = await sessions.send(id, QUESTION)
      const stopReason = await ended
      if (stopReason !== 'completed') throw new Error(`Our turn ended with ${stopReason}.`)
    },
    async listen(signal) {
      for await (const event of sessions.streamEvents({ sessionId: id, after: 0, signal })) void event
    },
  })

  return {
    async start() {
      const { id } = await sessions.start({
        ownerId: 'per_bench' as PersonId,
        channel: 'text',
        agent: AGENT,
        context: { workingDir: '/', fsScopeTier: 'sandboxed' },
      })
      return openOurSession(id)
    },
    open: async (id) => openOurSession(id as SessionId),
  }
}
