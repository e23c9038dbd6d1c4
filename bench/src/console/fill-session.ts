import type { PersonId, SessionId, SessionMessage } from '@parley/contracts'
import type { IdSource, SessionStore } from '@parley/engine'
import { type Random, createRandom } from '../knowledge/random.ts'
import { type Vocabulary, createWriter } from '../knowledge/vocabulary.ts'

interface SessionContent {
  readonly messages: number
  readonly ownerId: PersonId
  readonly ids: IdSource
}

const AT = '2026-03-04T05:06:07.000Z'

/** Creates a session with this many messages: questions, and Markdown answers of one to about twenty lines. */
export async function fillSession(
  store: SessionStore,
  vocabulary: Vocabulary,
  { messages, ownerId, ids }: SessionContent,
): Promise<SessionId> {
  const id = ids.sessionId()
  const sentence = createWriter(vocabulary, messages)
  const random = createRandom(messages)
  const past = Array.from({ length: messages }, (_, n): SessionMessage => ({
    id: ids.messageId(),
    sessionId: id,
    sequenceNumber: n + 1,
    timestamp: AT,
    ...(n % 2 === 0
      ? { role: 'user', content: [{ type: 'text', text: `${sentence()} (question ${n / 2 + 1})` }] }
      : {
          role: 'assistant',
          modelId: 'slow',
          content: [{ type: 'text', text: createAnswer(sentence, random) }],
        }),
  }))
  const agent = { id: 'bench', model: 'slow', provider: 'bench', system_prompt: '' }
  const session = {
    id,
    ownerId,
    channel: 'text' as const,
    status: 'active' as const,
    title: `A session of ${messages} messages`,
    agentSlug: agent.id,
    agentSnapshot: agent,
    context: { workingDir: '/', fsScopeTier: 'sandboxed' as const },
    messageCount: messages,
    costs: {},
    grants: [],
    createdAt: AT,
    updatedAt: AT,
  }
  const started = { type: 'session:started' as const, agent, context: session.context }
  await store.create(session, { sequenceNumber: 1, timestamp: AT, body: started }, past)
  return id
}

function createAnswer(sentence: () => string, random: Random): string {
  const paragraphs = Array.from({ length: 1 + Math.floor(random() * 4) }, () => `${sentence()} ${sentence()}`)
  const list = random() < 0.3 ? [`- **${sentence()}**\n- ${sentence()}\n- \`${sentence()}\``] : []
  const code =
    random() < 0.15 ? [`\`\`\`ts\nconst found = await look(${Math.floor(random() * 99)})\n\`\`\``] : []
  return [...paragraphs, ...list, ...code].join('\n\n')
}
