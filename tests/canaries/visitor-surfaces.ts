import { SessionView, VoiceSessionResponse } from '@parley/contracts'
import { runSql } from '../../adapters/postgres/src/server/testing/test-cluster.ts'
import { framesOf, sendMessage } from '../../apps/api/src/testing/test-api.ts'
import { claimOf, KEY } from '../../apps/api/src/reflections/spoken-api.fixture.ts'
import { holdCall } from '../support/hold-call.ts'
import type { SurfaceText } from './canary.ts'
import type { PlantedServer } from './planted-server.ts'

/** The visitor's token in the response to a start. */
const getToken = (answer: unknown) => (answer as { readonly token: string }).token

/** Questions about the private facts. */
export const QUESTIONS = [
  'Where did you grow up?',
  'What is your boat called?',
  'Where were you born?',
  'Do you work as a gardener?',
  'Where do you live?',
  'What lies under the pear tree?',
  'What is your dog called, and what was it called before?',
  'What is your cat called?',
  'Where have you studied at?',
  'Who made you?',
  'What did we speak of last time, and what do you know of me?',
  'What is in the diary, and in your conversations?',
] as const

/** Holds a visitor's typed session and reads everything that it can reach. */
export async function readTypedSurfaces(
  server: PlantedServer,
  link: string,
  questions: readonly string[],
): Promise<readonly SurfaceText[]> {
  const started = await server.send('POST', `/r/${link}/sessions`, { channel: 'text' })
  const { sessionId } = SessionView.parse(started.answer)
  const token = getToken(started.answer)
  const seen: SurfaceText[] = [{ where: 'the response to a typed start', text: JSON.stringify(started) }]
  for (const question of questions) {
    const answer = await sendMessage(server.url, { sessionId, token, text: question })
    const frames = await framesOf(answer)
    seen.push({ where: 'the events of a turn', text: removeQuestions(questions, JSON.stringify(frames)) })
  }
  const read = async (method: string, path: string, sent?: unknown) => {
    const answered = await server.call(method, path, sent, token)
    seen.push({ where: `${method} ${path}`, text: removeQuestions(questions, JSON.stringify(answered)) })
  }
  const at = `/sessions/${sessionId}`
  for (const part of ['', '/messages', '/messages?limit=1', '/citations', '/citations?after=1'])
    await read('GET', `${at}${part}`)
  const events = await fetch(`${server.url}/v1${at}/events?after=0`, {
    headers: { authorization: `Bearer ${token}` },
  })
  const all = await framesOf(events, ({ type }) => type === 'session:turn_completed')
  seen.push({ where: 'the event stream', text: removeQuestions(questions, JSON.stringify(all)) })
  await read('GET', '/me')
  for (const [method, path, sent] of OUT_OF_REACH) {
    await read(method, path.replace('{own}', at).replace('{reflection}', server.at), sent)
  }
  const record = await server.database.sessions.find(sessionId)
  seen.push({ where: 'the prompt of a typed session', text: JSON.stringify(record ?? '') })
  await read('POST', `${at}/end`, {})
  await read('GET', at)
  return seen
}

/** A visitor's own words are not a leak. */
const removeQuestions = (questions: readonly string[], text: string): string =>
  questions.reduce((rest, question) => rest.replaceAll(question, '…'), text)

/** Every error that a visitor can cause. */
const OUT_OF_REACH: readonly (readonly [method: string, path: string, body?: unknown])[] = [
  ['GET', '{own}/export'],
  ['POST', '{own}/export', {}],
  ['POST', '{own}/fork', {}],
  ['POST', '{own}/resume', {}],
  ['POST', '{own}/reconnect', {}],
  ['POST', '{own}/compact', {}],
  ['PATCH', '{own}', { title: 'Mine' }],
  ['DELETE', '{own}'],
  ['POST', '{own}/messages', { words: 'wrong' }],
  ['POST', '{own}/messages', '{"text":'],
  ['POST', '{own}/messages', { text: 'x'.repeat(20_000) }],
  ['GET', '{own}/messages?limit=none'],
  ['GET', '{own}/events?after=99999'],
  ['GET', '{own}/media/sha256-none'],
  ['GET', '/sessions/ses_another'],
  ['GET', '/sessions'],
  ['GET', '{reflection}'],
  ['GET', '{reflection}/facts'],
  ['GET', '{reflection}/sources'],
  ['GET', '{reflection}/share-links'],
  ['POST', '{reflection}/ask', { query: 'boat' }],
  ['GET', '/reflections'],
  ['GET', '/tokens'],
  ['GET', '/audit'],
  ['GET', '/nowhere'],
  ['PUT', '/me', {}],
  ['POST', '{own}/messages', { text: 'a \0 b' }],
]

/** Holds a visitor's call and reads everything that its agent, the visitor and the provider get. */
export async function readSpokenSurfaces(
  server: PlantedServer,
  link: string,
  questions: readonly string[],
): Promise<readonly SurfaceText[]> {
  const started = await server.send('POST', `/r/${link}/sessions`, { channel: 'voice' })
  const { sessionId, signedUrl = '', dynamicVariables } = VoiceSessionResponse.strip().parse(started.answer)
  const token = getToken(started.answer)
  const seen: SurfaceText[] = [{ where: 'the response to a spoken start', text: JSON.stringify(started) }]
  const session = await server.database.sessionRows.find(sessionId)
  if (session?.providerConversationId === undefined)
    throw new Error('The session has no provider conversation')
  const addText = (where: string, what: unknown) =>
    seen.push({ where, text: removeQuestions(questions, JSON.stringify(what)) })

  for (const question of questions) {
    addText(
      'a response of retrieve-context',
      await server.tool('retrieve-context', { ...claimOf(session), query: question }),
    )
  }
  const content = { text: 'I like tea.', fact: 'likes', correction: 'I like coffee.' }
  for (const action of ['request-source-ingest', 'propose-fact-correction']) {
    addText(`the response of ${action}`, await server.tool(action, { ...claimOf(session), ...content }))
  }
  addText('the frames of a call', await holdCall(signedUrl, dynamicVariables, questions))
  addText('the session after a call', await server.call('GET', `/sessions/${sessionId}`, undefined, token))
  addText(
    'the citations of a call',
    await server.call('GET', `/sessions/${sessionId}/citations`, undefined, token),
  )
  addText('a reconnect', await server.call('POST', `/sessions/${sessionId}/reconnect`, {}, token))
  const at = `/v1/convai/conversations/${session.providerConversationId}`
  addText('the provider’s record of a call', await fetchFromProvider(server, at))
  addText('pending deliveries of the provider', await findDeliveries(server, session.providerConversationId))
  const agent = await fetchFromProvider(server, `/v1/convai/agents/${session.agentId}`)
  addText('the provider’s public agent', agent)
  for (const toolId of getToolIds(agent)) {
    addText('a tool of the public agent', await fetchFromProvider(server, `/v1/convai/tools/${toolId}`))
  }
  const record = await server.database.sessions.find(sessionId)
  addText('the prompt of a spoken session', record)
  return seen
}

async function fetchFromProvider({ voiceUrl }: PlantedServer, path: string): Promise<unknown> {
  const response = await fetch(`${voiceUrl}${path}`, { headers: { 'xi-api-key': KEY } })
  return response.json()
}

interface AgentOfProvider {
  readonly conversation_config: {
    readonly agent: { readonly prompt: { readonly tool_ids: readonly string[] } }
  }
}
const getToolIds = (agent: unknown) => (agent as AgentOfProvider).conversation_config.agent.prompt.tool_ids

const findDeliveries = ({ databaseUrl }: PlantedServer, conversationId: string) =>
  runSql(databaseUrl, `select body from provider.deliveries where conversation_id = '${conversationId}'`)
