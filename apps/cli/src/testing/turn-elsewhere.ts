import type { CallId } from '@parley/contracts'
import { createRunEventBus, createSessions, noTools, type ToolRegistry } from '@parley/engine'
import { createFakeTools, type ModelScript, createScriptedModel, createTestIds } from '@parley/engine/testing'
import { openHistory } from '@parley/history'
import { OFFLINE_AGENT } from '../agent/find-agent.ts'
import { LOCAL_PERSON } from '../compose.ts'
import { streamEndlessly } from './scripted-chat.ts'
import { KEY } from './parley-process.ts'

/** A turn of this process in a real history, which looks like another terminal to the program. */
export async function startTurnElsewhere(home: string, kind: 'running' | 'waiting') {
  const { script, tools } = KINDS[kind]
  const { store, close } = await openHistory({ home, key: KEY })
  const model = createScriptedModel([script])
  const sessions = createSessions({
    store,
    eventBus: createRunEventBus(),
    clock: Date,
    ids: createTestIds(),
    getModel: () => model,
    getTools: () => tools,
  })
  const { id } = await sessions.start({
    ownerId: LOCAL_PERSON,
    channel: 'text',
    agent: OFFLINE_AGENT,
    context: { workingDir: '/', fsScopeTier: 'sandboxed' },
  })
  const { ended } = await sessions.send(id, 'Count the files')
  if (kind === 'waiting') await ended
  return {
    id,
    store,
    ended,
    async [Symbol.asyncDispose]() {
      await sessions.cancelAll()
      close()
    },
  }
}

const calling: ModelScript = [
  { type: 'tool_call', call: { id: 'call_1' as CallId, name: 'run_command', input: { command: 'ls' } } },
  { type: 'finish', reason: 'completed', usage: { inputTokens: 1, outputTokens: 1 } },
]

const asking = createFakeTools({
  declarations: [{ name: 'run_command', description: 'Runs a command.', inputSchema: {} }],
  findTargetToApprove: () => 'ls',
  run: async () => ({ kind: 'ok', text: 'two files' }),
})

const KINDS: Record<'running' | 'waiting', { script: ModelScript; tools: ToolRegistry }> = {
  running: { script: streamEndlessly, tools: noTools },
  waiting: { script: calling, tools: asking },
}
