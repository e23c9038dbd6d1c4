import type { SessionId, SessionMessage } from '@parley/contracts'
import { reconstructSessionState, type SessionStore, sessionView } from '@parley/engine'
import { openLocalHistory } from '../compose.ts'
import { readConfig } from '../config.ts'
import { EXIT, type ExitCode } from '../exit-code.ts'
import { jsonLine } from '../render/json-line.ts'
import { localTime } from '../render/local-time.ts'
import { neutralise } from '../render/neutralise.ts'
import { screenOf } from '../render/screen-of.ts'
import { tell } from '../render/tell.ts'
import { renderTurns } from '../render/transcript.ts'
import { findSession } from '../session/find-session.ts'
import type { CommandCall } from './command.ts'

/** Prints what was said in one conversation. */
export async function showSession({ io, json, positionals }: CommandCall): Promise<ExitCode> {
  const config = readConfig(io.environment)
  const history = await openLocalHistory(config, (notice) => tell(io.stderr, `parley: ${notice}`))
  try {
    const record = await findSession(history.store, positionals[0])
    const { session, runningTurnId } = record
    const turns = reconstructSessionState(await readAll(history.store, session.id))
    if (json) {
      io.stdout.write(jsonLine({ session: sessionView(record), turns }))
      return EXIT.done
    }
    const { style, columns, isTerminal } = screenOf(io.stdout, config)
    const agent = session.agentSnapshot.name ?? session.agentSnapshot.id
    const about = `${session.id}, ${neutralise(agent)}, started ${localTime(session.createdAt)}`
    io.stdout.write(`${style.bold(neutralise(session.title ?? 'untitled'))}\n${style.dim(about)}\n\n`)
    io.stdout.write(
      renderTurns(turns, {
        agent,
        style,
        columns: isTerminal ? columns : undefined,
        running: runningTurnId !== undefined,
      }),
    )
    return EXIT.done
  } finally {
    history.close()
  }
}

const PAGE = 500

async function readAll(store: SessionStore, sessionId: SessionId): Promise<readonly SessionMessage[]> {
  const messages: SessionMessage[] = []
  for (;;) {
    const page = await store.readMessages(sessionId, {
      after: messages.at(-1)?.sequenceNumber ?? 0,
      limit: PAGE,
    })
    messages.push(...page)
    if (page.length < PAGE) return messages
  }
}
