import { randomBytes, randomInt } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import type { SessionEvent, SessionId } from '@parley/contracts'
import { type BundledPostgres, migrate, openDatabase, startBundledPostgres } from '@parley/postgres'
import { expect, onTestFinished, test } from 'vitest'
import { omitStreamedText, readEvents, toTurns } from '../readers/event-reader.ts'
import { killProcess, startScript } from '../support/child-process.ts'
import { OWNER_TOKEN } from '../support/call-api.ts'
import { recordFigures } from '../support/record-figures.ts'
import { checkSession } from './check-session.ts'
import type { ServingProcessInput } from './serving-process.ts'

/** `npm run soak` asks for more. */
const CRASHES = Number(process.env['PARLEY_DATABASE_CRASHES'] ?? 2)
const SESSIONS = Number(process.env['PARLEY_CRASH_SESSIONS'] ?? 6)
const API_PROCESSES = 3
const WORKERS = 1
const READERS_OF_A_SESSION = 2
/** A turn that takes longer is stuck: recovery takes seconds, a turn takes less. */
const STUCK_MS = 60_000

test(
  `[X4][S2][S4][S6] ${CRASHES} crashes of Postgres under ${API_PROCESSES} API processes leave no open turn and no lost or duplicate message, event or model request`,
  { timeout: 120_000 + CRASHES * STUCK_MS },
  async (context) => {
    const home = await mkdtemp(join(tmpdir(), 'parley-crashes-'))
    let server = await startBundledPostgres({ home })
    const { url: databaseUrl } = server
    const processes: ServingProcess[] = []
    onTestFinished(async () => {
      await Promise.all(processes.map(({ kill }) => kill()))
      await server.stop()
      await rm(home, { recursive: true, force: true, maxRetries: 5 })
    })
    await migrate({ databaseUrl })

    const requestedSteps = new Map<string, number>()
    const onRequest = (step: string) => requestedSteps.set(step, (requestedSteps.get(step) ?? 0) + 1)
    const options = { databaseUrl, home, ownerToken: OWNER_TOKEN }
    const kinds = [...Array<'api'>(API_PROCESSES).fill('api'), ...Array<'worker'>(WORKERS).fill('worker')]
    for (const kind of kinds) processes.push(startServing({ ...options, kind }, onRequest))
    const urls = (await Promise.all(processes.map(({ url }) => url))).filter((url) => url !== '')

    const conversations = await Promise.all(
      Array.from({ length: SESSIONS }, () => createTrialConversation(() => urls)),
    )
    const talks = conversations.map((conversation) => conversation.talk())
    const failed = Promise.race([...talks, ...processes.map(({ ended }) => ended)].map(rejectOnly))
    const crashed: Record<CrashKind, number> = { server: 0, backend: 0 }
    for (let crash = 0; crash < CRASHES; crash += 1) {
      await pause(randomInt(600))
      const kind = crash % 2 === 0 ? 'server' : 'backend'
      if (kind === 'server') {
        process.kill(server.pid, 'SIGKILL')
        server = await startBundledPostgres({ home })
      } else await killBackend(server)
      crashed[kind] += 1
      // Wait for the turn that was open at the crash, and one more.
      await Promise.race([Promise.all(conversations.map(({ moreTurns }) => moreTurns(2))), failed])
      if ((crash + 1) % 10 === 0) console.log(`${crash + 1} of ${CRASHES} crashes, no stuck turn`)
    }
    const readings = await Promise.race([Promise.all(conversations.map(({ stop }) => stop())), failed])
    await Promise.all(talks)

    expect(server.url).toBe(databaseUrl)
    const database = await openDatabase({ databaseUrl })
    onTestFinished(() => database.close())
    for (const { sessionId, accepted, sent } of conversations) {
      expect((await database.sessions.find(sessionId))?.openTurn).toBeUndefined()
      await checkSession(database.sessions, sessionId, { accepted, sent })
    }
    for (const [first = [], ...others] of readings) {
      for (const other of others) {
        expect(omitStreamedText(other)).toEqual(omitStreamedText(first))
        expect(toTurns(other)).toEqual(toTurns(first))
      }
    }
    expect(
      [...requestedSteps].filter(([, times]) => times > 1),
      'steps that were requested from the model twice',
    ).toEqual([])
    const sumOver = (of: (conversation: TrialConversation) => number) =>
      conversations.reduce((total, conversation) => total + of(conversation), 0)
    recordFigures(
      context,
      `${crashed.server} crashes of the server and ${crashed.backend} of a backend: ${sumOver(({ accepted }) => accepted.length)} messages accepted, ` +
        `${requestedSteps.size} steps requested, ${sumOver(({ counts }) => counts().interrupted)} turns interrupted and continued, ` +
        `${sumOver(({ counts }) => counts().refused)} requests refused meanwhile`,
    )
  },
)

type CrashKind = 'server' | 'backend'

/** After a killed backend Postgres ends all others and recovers, as after a crash. */
async function killBackend({ pid }: BundledPostgres): Promise<void> {
  const children = (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).trim().split(' ')
  const titles = await Promise.all(
    children.map((child) => readFile(`/proc/${child}/cmdline`, 'utf8').catch(() => '')),
  )
  const backends = children.filter((_, index) => titles[index]?.includes(' parley_'))
  const victim = backends[randomInt(backends.length)]
  process.kill(Number(victim), 'SIGKILL')
}

type ServingProcess = ReturnType<typeof startServing>

function startServing(input: ServingProcessInput, onRequest: (step: string) => void) {
  const child = startScript(new URL('serving-process.ts', import.meta.url), input)
  let isKilled = false
  const lines = createInterface(child.stdout)
  const url = new Promise<string>((resolve) =>
    lines.once('line', (line) => {
      resolve(line)
      lines.on('line', onRequest)
    }),
  )
  const ended = new Promise<never>((_, reject) => {
    child.once('exit', (code) => {
      if (!isKilled) reject(new Error(`the ${input.kind} process exited with ${code}`))
    })
  })
  ended.catch(() => {})
  return {
    url,
    ended,
    kill: async () => {
      isKilled = true
      await killProcess(child)
    },
  }
}

const rejectOnly = (work: Promise<unknown>) => work.then(() => new Promise<never>(() => {}))

type TrialConversation = Awaited<ReturnType<typeof createTrialConversation>>

/** A session in which a person talks without pause, through any of the servers, with several readers. */
async function createTrialConversation(servers: () => readonly string[]) {
  const pickServer = () => servers()[randomInt(servers().length)] ?? ''
  const { body } = await postRequest(pickServer(), '/v1/sessions', { channel: 'text' })
  const sessionId = body['sessionId'] as SessionId
  const path = `/v1/sessions/${sessionId}`
  const accepted: string[] = []
  const sent: string[] = []
  const ends = new Map<string, TurnCompletedEvent>()
  const waiting = new Set<() => void>()
  let turns = 0
  let interrupted = 0
  let refused = 0
  const stopping = new AbortController()
  let lastText: string | undefined
  let lastTurn: string | undefined

  const waitUntil = async (what: string, holds: () => boolean) => {
    const deadline = Date.now() + STUCK_MS
    while (!holds()) {
      if (Date.now() > deadline) throw new Error(`${sessionId}: no ${what} within ${STUCK_MS} ms`)
      await Promise.race([new Promise<void>((resolve) => waiting.add(resolve)), pause(1_000)])
    }
  }
  const notifyWaiting = () => {
    for (const resolve of waiting) resolve()
    waiting.clear()
  }
  const onEvent = (event: SessionEvent) => {
    if (event.type === 'session:turn_completed') ends.set(event.turnId, event)
    // Readers may see the last turn before its opener gets the response.
    if (event.type === 'session:turn_started' && lastText !== undefined && getQuestion(event) === lastText)
      lastTurn = event.turnId
    notifyWaiting()
    return event.type === 'session:turn_completed' && event.turnId === lastTurn
  }
  const source = { path: `${path}/events`, token: OWNER_TOKEN, servers }
  const readings = Array.from({ length: READERS_OF_A_SESSION }, (_, index) =>
    readEvents(source, { pauseMs: 0, disconnectsAfter: index % 2 === 0 ? 100_000 : 200 }, onEvent),
  )
  for (const reading of readings) reading.catch(() => {})

  /** Returns the id of the opened turn, 'none' if there is nothing to continue, or undefined if it was refused. */
  const openTurn = async (where: string, request: object, key?: string): Promise<string | undefined> => {
    const { status, body: answer } = await postRequest(pickServer(), `${path}/${where}`, request, key)
    if (status === 202) return String(answer['turnId'])
    refused += 1
    if (!REFUSALS.has(String(answer['code']))) throw new Error(`${status} ${JSON.stringify(answer)}`)
    if (answer['code'] === 'nothing_to_continue') return 'none'
    await pause(50 + randomInt(100))
    return undefined
  }

  const createText = () => {
    const text = randomBytes(6).toString('hex')
    sent.push(text)
    return text
  }

  /** Repeats a message until it is accepted. Without a key it may already be stored, so another text is sent. */
  const sendMessage = async (text = createText(), isKeyed = randomInt(4) > 0): Promise<string> => {
    const deadline = Date.now() + STUCK_MS
    let key = isKeyed ? text : undefined
    while (Date.now() < deadline) {
      const turnId = await openTurn('messages', { text }, key)
      if (turnId !== undefined) {
        accepted.push(text)
        return turnId
      }
      if (key === undefined) key = text = createText()
    }
    throw new Error(`${sessionId}: no message was accepted within ${STUCK_MS} ms`)
  }

  const continueTurn = async (): Promise<string> => {
    const deadline = Date.now() + STUCK_MS
    while (Date.now() < deadline) {
      const turnId = await openTurn('resume', { continue: true })
      if (turnId !== undefined) return turnId
    }
    throw new Error(`${sessionId}: its turn was not continued within ${STUCK_MS} ms`)
  }

  const waitForTurnEnd = async (turnId: string) => {
    await waitUntil(`the end of ${turnId}`, () => ends.has(turnId))
    return ends.get(turnId)
  }

  const talk = async () => {
    while (!stopping.signal.aborted) {
      let turnId = await sendMessage()
      while (turnId !== 'none' && (await waitForTurnEnd(turnId))?.stopReason === 'error') {
        interrupted += 1
        turnId = await continueTurn()
      }
      turns += 1
      notifyWaiting()
    }
    lastText = createText()
    await waitForTurnEnd(await sendMessage(lastText, true))
  }

  const moreTurns = (count: number) => {
    const goal = turns + count
    return waitUntil(`turn ${goal}`, () => turns >= goal)
  }

  /** Ends after one more turn, which all readers see. */
  const stop = async (): Promise<readonly (readonly SessionEvent[])[]> => {
    stopping.abort()
    return (await Promise.all(readings)).map(({ events }) => events)
  }

  return { sessionId, accepted, sent, talk, moreTurns, stop, counts: () => ({ interrupted, refused }) }
}

const getQuestion = ({ message }: Extract<SessionEvent, { type: 'session:turn_started' }>) =>
  message.content.map((part) => (part.type === 'text' ? part.text : '')).join('')

type TurnCompletedEvent = Extract<SessionEvent, { type: 'session:turn_completed' }>

const REFUSALS = new Set(['session_busy', 'database_unavailable', 'nothing_to_continue', 'no answer'])

async function postRequest(server: string, path: string, request: object, idempotencyKey?: string) {
  try {
    const response = await fetch(`${server}${path}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${OWNER_TOKEN}`,
        'content-type': 'application/json',
        ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
      },
      body: JSON.stringify(request),
    })
    return { status: response.status, body: (await response.json()) as Record<string, unknown> }
  } catch {
    return { status: 0, body: { code: 'no answer' } as Record<string, unknown> }
  }
}
