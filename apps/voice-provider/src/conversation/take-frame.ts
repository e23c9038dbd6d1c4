import type { ClientResult } from '../tools-of-agent/client-tool.ts'
import type { ClientFrame } from './client-frame.ts'

/** What a client's frames do to a conversation. */
export interface FrameTaker {
  readonly hear: (bytes: Uint8Array) => void
  readonly say: (text: string) => void
  readonly active: () => void
  readonly inform: (text: string, id: string | undefined) => void
  readonly result: (callId: string, result: ClientResult) => void
  readonly feedback: (eventId: number, score: 'like' | 'dislike' | null) => void
  readonly refuse: (why: string) => void
}

export function takeFrame(frame: ClientFrame, taker: FrameTaker): void {
  switch (frame.type) {
    case 'user_audio_chunk':
      return taker.hear(frame.bytes)
    case 'user_message':
      return sayIn(frame, taker)
    case 'multimodal_message':
      if (frame.file || frame.files?.length) taker.refuse('Files are not looked at here: send their text.')
      return sayIn(frame.text, taker)
    case 'user_activity':
      return taker.active()
    case 'contextual_update':
      return taker.inform(frame.text, frame.context_id ?? undefined)
    case 'client_tool_result':
      return taker.result(frame.tool_call_id, { result: textOf(frame.result), isError: frame.is_error })
    case 'feedback':
      return taker.feedback(frame.event_id, frame.score)
    case 'conversation_initiation_client_data':
      return taker.refuse('The conversation has begun already.')
    case 'pong':
    case 'mcp_tool_approval_result':
      return
    default:
      frame satisfies never
  }
}

function sayIn(
  message: { readonly text?: string | null | undefined } | null | undefined,
  { say }: FrameTaker,
): void {
  const text = message?.text?.trim()
  if (text) say(text)
}

const textOf = (result: unknown): string =>
  typeof result === 'string' ? result : JSON.stringify(result ?? '')
