import type { SessionId, SessionMessage, ToolOutcome } from '@parley/contracts'
import type { SessionStore } from '@parley/engine'
import type { DisplayedCall } from '../render/tool-lines.ts'
import { removeFence } from '@parley/contracts'

type MediaReader = Pick<SessionStore, 'getMedia'>

/** A call and its full result. */
export interface LastResult {
  readonly call: DisplayedCall
  readonly text: string
}

/** How many messages to search. */
const TAIL = 200

/** The last finished call with its full output. */
export async function readLastResult(
  store: Pick<SessionStore, 'readTail'> & MediaReader,
  sessionId: SessionId,
): Promise<LastResult | undefined> {
  const parts = (await store.readTail(sessionId, TAIL)).flatMap(({ content }) => content)
  const result = parts.findLast((part) => part.type === 'tool_result')
  if (!result) return undefined
  const made = parts.findLast((part) => part.type === 'tool_call' && part.call.id === result.callId)
  const call = made?.type === 'tool_call' ? made.call : undefined
  const { text } = await readWhole(result.outcome, sessionId, store)
  return { call: { tool: call?.name ?? 'tool', input: call?.input }, text: removeFence(text) }
}

/** The messages with full tool output, even if the model got only a part. */
export const readFullResults = (
  messages: readonly SessionMessage[],
  store: MediaReader,
): Promise<readonly SessionMessage[]> =>
  Promise.all(
    messages.map(async (message) => ({
      ...message,
      content: await Promise.all(
        message.content.map(async (part) =>
          part.type === 'tool_result'
            ? { ...part, outcome: await readWhole(part.outcome, message.sessionId, store) }
            : part,
        ),
      ),
    })),
  )

async function readWhole(
  outcome: ToolOutcome,
  sessionId: SessionId,
  store: MediaReader,
): Promise<ToolOutcome> {
  const { whole: handle, ...rest } = outcome
  const media = handle && (await store.getMedia(sessionId, handle))
  return media ? { ...rest, text: Buffer.from(media.bytes).toString() } : outcome
}
