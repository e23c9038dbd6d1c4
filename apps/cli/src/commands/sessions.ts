import { setTimeout as pause } from 'node:timers/promises'
import { z } from 'zod'
import {
  type OpenTurn,
  PlatformError,
  type SessionId,
  type SessionMessage,
  type SessionView,
} from '@parley/contracts'
import { type SessionStore, type reconstructSessionState, toSessionView } from '@parley/engine'
import { withLocalHistory } from '../compose.ts'
import { EXIT, type ExitCode } from '../exit-code.ts'
import { confirmRemoval } from '../prompt/confirm.ts'
import { readUpTo } from '../read-pages.ts'
import { quoteTitle, renderSessionTable } from '../render/columns.ts'
import { sanitise } from '../render/text.ts'
import { formatLocalTime, notify, printMessage, writeTo } from '../render/output.ts'
import { loadMarkdown, readDisplay } from '../render/display.ts'
import { listCostLines, sumCosts } from '../render/session-lines.ts'
import { renderTurn, addMarkers } from '../render/transcript.ts'
import { type NamedSession, SessionTitle, withNamedSession, shortenId } from '../session/find-session.ts'
import { readFullResults } from '../session/read-last-result.ts'
import { type CommandCall, createCountOption, parseOptions, printJson, printResult } from './command.ts'

const MAX_LISTED = 10_000

export interface SessionListOptions {
  readonly limit: number
  readonly search?: string | undefined
}

export function formatMoreHint({ limit, search }: SessionListOptions, command = 'parley sessions'): string {
  const next = `--limit ${Math.min(limit * 5, MAX_LISTED)}`
  return search === undefined ? `There are more: ${command} ${next}` : `There are more: add ${next}`
}

const SessionsOptions = z.object({
  limit: createCountOption(MAX_LISTED, 20),
  search: z
    .array(z.string())
    .transform((words) => words.join(' ').trim())
    .refine((words) => words !== '', 'must not be empty')
    .optional(),
  server: z.boolean().default(false),
})

export async function listSessions(call: CommandCall): Promise<ExitCode> {
  const { io, json } = call
  const { server, ...query } = parseOptions(SessionsOptions, call.options)
  if (server) return (await import('../session/server-session.ts')).listServerSessions(call, query)
  const { environment } = call
  const { search } = query
  return withLocalHistory(call, async ({ store }) => {
    const { items: records, more } = await readUpTo(query.limit, (page) =>
      store.list({ ...page, ...(search !== undefined && { search }) }),
    )
    const items = records.map((record) => toSessionView(record, { mayWrite: true }))
    if (json) return printJson(io, { items, more })
    if (items.length === 0) {
      printMessage(io.stdout, search === undefined ? NONE_YET : `No session contains "${search}".`)
      const { findRunningServer } = await import('../up/run-file.ts')
      if (await findRunningServer(environment.home))
        printMessage(io.stdout, 'For sessions on the running server: parley sessions --server')
      return EXIT.done
    }
    const { columns, style } = readDisplay(io.stdout, environment)
    io.stdout.write(renderSessionTable(items, columns, style))
    if (more) io.stdout.write(`${style.dim(formatMoreHint(query))}\n`)
    return EXIT.done
  })
}

const NONE_YET = 'There are no sessions yet. Start one with: parley chat'

const ShowOptions = z.object({ full: z.boolean().default(false) })

export function showSession(call: CommandCall): Promise<ExitCode> {
  const { io, json } = call
  const { full } = parseOptions(ShowOptions, call.options)
  return withNamedSession(call, async (session) => {
    const { id, agent, view } = session
    const turns = readTurns(session, id)
    if (json) {
      const cost = sumCosts(view.costs)
      return printJson(io, { session: view, cost, turns: await collect(turns) })
    }
    const display = readDisplay(io.stdout, call.environment)
    const { style, columns, isTerminal } = display
    io.stdout.write(
      `${style.bold(sanitise(view.title ?? 'untitled'))}\n${style.dim(describeSession(view, agent))}\n`,
    )
    for (const line of listCostLines(view.costs)) io.stdout.write(`${style.dim(sanitise(line))}\n`)
    if (view.reflection?.transcript === 'pending') notify(io, TRANSCRIPT_PENDING)
    const options = {
      agent,
      user: view.ownerLabel,
      model: view.model,
      style,
      columns: isTerminal ? columns : undefined,
    }
    const whole = { ...options, results: 'whole' as const }
    for await (const turn of turns) {
      const isLast = (turn.messages.at(-1)?.sequenceNumber ?? 0) >= view.messageCount
      const { markdown } = await loadMarkdown(display, turn.messages)
      const open = isLast ? view.openTurn?.state : undefined
      const shown = full ? { ...turn, messages: await readFullResults(turn.messages, session) } : turn
      await writeTo(io.stdout, `\n${renderTurn(shown, { ...(full ? whole : options), markdown, open })}`)
    }
    return EXIT.done
  })
}

async function collect<T>(items: AsyncIterable<T>): Promise<readonly T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}

const describeSession = ({ id, channel, createdAt }: SessionView, agent: string): string =>
  [
    id,
    sanitise(agent),
    ...(channel === 'voice' ? ['spoken'] : []),
    `started ${formatLocalTime(createdAt)}`,
  ].join(', ')

const TRANSCRIPT_PENDING =
  'The transcript of this call is not ready yet. It arrives soon after the call ends.'

export async function renameSession(call: CommandCall): Promise<ExitCode> {
  const title = parseTitle(call.positionals.slice(1))
  return withNamedSession(call, async (session) => {
    await session.rename(title)
    const renamed = await session.refresh()
    return printResult(call, renamed, `The title is now "${renamed.title ?? title}".`)
  })
}

function parseTitle(words: readonly string[]): string {
  const parsed = SessionTitle.safeParse(words.join(' '))
  if (parsed.success) return parsed.data
  throw new PlatformError('validation', {
    message: `The title ${parsed.error.issues[0]?.message ?? 'is invalid'}.`,
  })
}

/** Ends a session; it stays readable. */
export function endSession(call: CommandCall): Promise<ExitCode> {
  return withNamedSession(call, async (session) => {
    const wasEnded = session.view.status === 'ended'
    if (!wasEnded) {
      refuseOpenTurn(session.view)
      await session.end()
    }
    const ended = await session.refresh()
    return printResult(call, ended, `${quoteTitle(ended)} has ${wasEnded ? 'already ended' : 'ended'}.`)
  })
}

/** Stops the running answer of a session, in any terminal, and waits for it. */
export function cancelSession(call: CommandCall): Promise<ExitCode> {
  return withNamedSession(call, async (session) => {
    const { id: sessionId, view } = session
    const { openTurn } = view
    const cancelled = openTurn !== undefined && (await session.cancel())
    if (cancelled) await waitUntilStopped(session, openTurn)
    const outcome = cancelled ? 'Stopped the answer' : 'No answer is running'
    return printResult(call, { sessionId, cancelled }, `${outcome} in ${quoteTitle(view)}.`)
  })
}

const STOP_TIMEOUT_MS = 10_000
const POLL_MS = 50

async function waitUntilStopped(session: NamedSession, { turnId }: OpenTurn): Promise<void> {
  const deadline = Date.now() + STOP_TIMEOUT_MS
  for (;;) {
    const open = (await session.refresh()).openTurn
    if (open?.turnId !== turnId) return
    // It started waiting for approval, or its process died, before the stop arrived.
    if (open.state !== 'running') await session.cancel()
    else if (Date.now() > deadline) throw createStillRunningError(session.id)
    await pause(POLL_MS)
  }
}

const createStillRunningError = (sessionId: SessionId) =>
  new PlatformError('session_busy', {
    message: `The answering process did not stop within ${STOP_TIMEOUT_MS / 1_000} s.`,
    fix: 'It may be suspended: stop it in its own terminal.',
    sessionId,
  })

const DeleteOptions = z.object({ yes: z.boolean().default(false) })

export function deleteSession(call: CommandCall): Promise<ExitCode> {
  const { yes } = parseOptions(DeleteOptions, call.options)
  return withNamedSession(call, async (session) => {
    const { id, view } = session
    refuseOpenTurn(view)
    const question = `Delete ${quoteTitle(view)} permanently?`
    if (!yes && !(await confirmRemoval(call, question))) return EXIT.cancelled
    await session.remove()
    return printResult(call, { sessionId: id, deleted: true }, `${quoteTitle(view)} is deleted.`)
  })
}

/** Throws while a turn runs or waits; a turn of a dead process does not count. */
function refuseOpenTurn({ id: sessionId, openTurn }: Pick<SessionView, 'id' | 'openTurn'>): void {
  const stop = `\`parley sessions cancel ${shortenId(sessionId)}\``
  if (openTurn?.state === 'running') {
    throw new PlatformError('session_busy', {
      message: 'An answer is running in this session, in another terminal.',
      fix: `Wait until it is done, or stop it: ${stop}.`,
      sessionId,
    })
  }
  if (openTurn?.state === 'waiting') {
    throw new PlatformError('session_busy', {
      message: 'The last answer in this session is waiting for your approval.',
      fix: `\`parley resume ${shortenId(sessionId)}\` asks you, ${stop} cancels it.`,
      sessionId,
    })
  }
}

const MESSAGE_PAGE = { limit: 500, maxBytes: 4_000_000 }

type Turn = ReturnType<typeof reconstructSessionState>[number]

export async function* readTurns(
  store: Pick<SessionStore, 'readMessages'>,
  sessionId: SessionId,
): AsyncGenerator<Turn> {
  let unfinished: readonly SessionMessage[] = []
  let after = 0
  for (;;) {
    const page = await store.readMessages(sessionId, { after, ...MESSAGE_PAGE })
    const turns = addMarkers([...unfinished, ...page])
    const last = page.at(-1)
    if (!last) {
      yield* turns
      return
    }
    // The last turn may continue on the next page.
    yield* turns.slice(0, -1)
    unfinished = turns.at(-1)?.messages ?? []
    after = last.sequenceNumber
  }
}
