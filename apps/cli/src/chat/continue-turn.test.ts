import { expect, test } from 'vitest'
import {
  createAnswerScript,
  createMemoryStores,
  createScriptedModel,
  createTestSessions,
} from '@parley/engine/testing'
import { streamEndlessly, runScriptedChat } from '../testing/scripted-chat.ts'
import { createChat } from './chat.ts'

/** A session that another process is answering in. */
async function answeredElsewhere() {
  const processes = createMemoryStores()
  const other = processes.open()
  const elsewhere = createTestSessions(createScriptedModel([streamEndlessly]), { store: other.store })
  const { id } = await elsewhere.start()
  const { turnId, ended } = await elsewhere.sessions.send(id, 'Count')
  // It cannot be stored where the process is dead by then.
  ended?.catch(() => undefined)
  await elsewhere.eventsUntil(id, 1, ({ type }) => type === 'agent:token')
  const here = processes.open().store
  const find = async () => {
    const record = await here.find(id)
    if (!record) throw new Error('the session is gone')
    return record
  }
  return { id, turnId, here, find, other, elsewhere }
}

test('[S4] a turn whose process died is continued, and so is the session', async () => {
  const { id, here, find, other } = await answeredElsewhere()
  other.die()
  const { lastSequence } = await find()
  const { code, said, asked } = await runScriptedChat({
    messages: ['And then?'],
    scripts: [createAnswerScript('One, two.'), createAnswerScript('Three.')],
    store: here,
    resumed: { id, after: lastSequence, beginning: { kind: 'continue' } },
  })
  expect(code).toBe(0)
  expect(said).toBe(`\nOne, two.\n\n\nThree.\n\nTo resume: parley resume ${id}\n`)
  expect(asked[0]?.messages).toMatchObject([{ role: 'user', content: [{ text: 'Count' }] }])
})

test('[S4] a finished turn cannot be continued', async () => {
  const first = await runScriptedChat({ messages: ['Two and two?'], scripts: [createAnswerScript('Four.')] })
  const { sessionId: id, store } = first
  if (!id) throw new Error('nothing was said')
  const again = runScriptedChat({
    messages: ['never asked for'],
    scripts: [],
    store,
    resumed: { id, after: 100, beginning: { kind: 'continue' } },
  })
  await expect(again).rejects.toMatchObject({ code: 'nothing_to_continue' })
})

test('[S2] while an answer runs in another terminal, a message is not sent and the stop command is shown', async () => {
  const { id, here, find, elsewhere } = await answeredElsewhere()
  const { lastSequence, session } = await find()
  const { told } = await runScriptedChat({
    messages: ['Hello'],
    scripts: [],
    store: here,
    resumed: { id, after: lastSequence },
  })
  expect(told).toContain('parley: Another turn is running in this session.\n')
  expect(told).toContain(`stop it: \`parley sessions cancel ${id.slice(4, 12)}\`.\n`)
  expect((await find()).session.messageCount).toBe(session.messageCount)
  await elsewhere.sessions.cancelAll()
})

test('[S2] stopping an answer does not stop that of another terminal', async () => {
  const { id, turnId, here, find, elsewhere } = await answeredElsewhere()
  const { sessions } = createTestSessions(createScriptedModel([]), { store: here })
  const chat = createChat(sessions, { openSession: async () => ({ id }), after: 0 })
  await expect(chat.perform({ kind: 'say', text: 'Hello' }, () => undefined)).rejects.toMatchObject({
    code: 'session_busy',
  })
  chat.stop()
  let told = 0
  await elsewhere.eventsUntil(id, 1, ({ type }) => type === 'session:turn_completed' || (told += 1) > 50)
  expect(await find()).toMatchObject({ openTurn: { turnId, state: 'running' } })
  await elsewhere.sessions.cancelAll()
})
