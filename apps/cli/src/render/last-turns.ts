import type { OpenTurn, SessionMessage, SessionView } from '@parley/contracts'
import { shortId } from '../session/short-id.ts'
import { withMarkers } from '../session/with-markers.ts'
import { counted } from './counted.ts'
import type { ScreenLook } from './screen-of.ts'
import { renderTurns } from './transcript.ts'
import { wrapWords } from './wrap-words.ts'

interface ComeBackTo {
  readonly session: Pick<SessionView, 'id' | 'messageCount' | 'ownerLabel'>
  /** Who answers in it, and by which model. */
  readonly agent: { readonly name: string; readonly model: string }
  /** The last messages, more than are shown. */
  readonly messages: readonly SessionMessage[]
  readonly open?: OpenTurn['state'] | undefined
  /** What the person has to know before they say anything. */
  readonly note?: string | undefined
}

const TURNS_SHOWN = 3
const MOST_LINES = 20

/** What a person sees of a session that they come back to. */
export function renderLastTurns(
  { session, agent, messages, open, note }: ComeBackTo,
  look: ScreenLook,
): string {
  const { style, columns, isTerminal, markdown } = look
  const shown = withMarkers(messages).slice(-TURNS_SHOWN)
  const before = session.messageCount - shown.flatMap((turn) => turn.messages).length
  const turns = renderTurns(shown, {
    agent: agent.name,
    user: session.ownerLabel,
    model: agent.model,
    style,
    columns: isTerminal ? columns : undefined,
    markdown,
    mostLines: MOST_LINES,
    open,
  })
  const earlier = `[${counted(before, 'earlier message')}: parley sessions show ${shortId(session.id)}]`
  return [
    ...(before > 0 ? [`${style.dim(earlier)}\n`] : []),
    ...(turns === '' ? [] : [turns]),
    ...(note === undefined ? [] : [`${style.warn(isTerminal ? wrapWords(note, columns) : note)}\n`]),
    '',
  ].join('\n')
}
