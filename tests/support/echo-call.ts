import { once } from 'node:events'
import { VOICE_KEY } from './running-parley.ts'

/** Calls an agent that says a sentence, and plays its voice back to it. Returns the recognised text. */
export async function echoCall(voiceUrl: string, sentence: string): Promise<string> {
  const socket = new WebSocket(`${voiceUrl.replace('http', 'ws')}${PATH}?agent_id=${await createEchoAgent()}`)
  const heard = Promise.withResolvers<string>()
  const pieces: string[] = []
  socket.addEventListener('close', ({ reason }) => heard.reject(new Error(`The call ended: ${reason}`)))
  socket.addEventListener('message', ({ data }) => {
    const event = JSON.parse(String(data)) as ServerEvent
    if (event.type === 'user_transcript') heard.resolve(event.user_transcription_event.user_transcript)
    if (event.type !== 'audio') return
    pieces.push(event.audio_event.audio_base_64)
    // The last piece of an answer is shorter than the others.
    if ((pieces.at(-1)?.length ?? 0) < (pieces[0]?.length ?? 0)) playBack()
  })
  const send = (frame: object) => socket.send(JSON.stringify(frame))
  const playBack = () => {
    for (const piece of [SILENCE, ...pieces, SILENCE]) send({ user_audio_chunk: piece })
  }

  async function createEchoAgent(): Promise<string> {
    const headers = { 'xi-api-key': VOICE_KEY, 'content-type': 'application/json' }
    const body = JSON.stringify({ conversation_config: { agent: { first_message: sentence } } })
    const made = await fetch(`${voiceUrl}/v1/convai/agents/create`, { method: 'POST', headers, body })
    return ((await made.json()) as { agent_id: string }).agent_id
  }

  await once(socket, 'open')
  send({ type: 'conversation_initiation_client_data' })
  try {
    return await heard.promise
  } finally {
    socket.close()
  }
}

type ServerEvent =
  | { readonly type: 'audio'; readonly audio_event: { readonly audio_base_64: string } }
  | {
      readonly type: 'user_transcript'
      readonly user_transcription_event: { readonly user_transcript: string }
    }
  | { readonly type: 'ping' }

const PATH = '/v1/convai/conversation'
/** One second at 16 kHz. */
const SILENCE = Buffer.alloc(32_000).toString('base64')
