import { once } from 'node:events'

/** Holds a typed call and asks the questions one by one. Returns all frames of the agent except sound. */
export async function holdCall(
  signedUrl: string,
  dynamic_variables: Readonly<Record<string, string>>,
  questions: readonly string[],
): Promise<string> {
  const socket = new WebSocket(signedUrl, 'convai')
  const closed = once(socket, 'close')
  const send = (message: object) => socket.send(JSON.stringify(message))
  const waiting = [...questions]
  const frames: string[] = []
  let isGreeted = false
  const askNext = () => {
    const question = waiting.shift()
    if (question === undefined) setTimeout(() => socket.close(1000), HEARD_MS)
    else send({ type: 'user_message', text: question })
  }
  socket.addEventListener('message', ({ data }) => {
    const frame = JSON.parse(String(data)) as { readonly type: string }
    if (frame.type !== 'audio') frames.push(String(data))
    if (frame.type === 'agent_response' && isGreeted) askNext()
    if (frame.type !== 'audio' || isGreeted) return
    isGreeted = true
    askNext()
  })
  await once(socket, 'open')
  send({ type: 'conversation_initiation_client_data', dynamic_variables })
  await closed
  return frames.join('\n')
}

/** Hanging up at once would cut off the last answer. */
const HEARD_MS = 300
