import { cp, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SessionView } from '@parley/contracts'
import {
  createFolder,
  createHome,
  parley,
  readUntil,
  startParley,
  waitForEnd,
} from '../testing/parley-process.ts'
import { parseEvents, prepareLongAnswer } from '../testing/scripted-chat.ts'
import { startTurnElsewhere } from '../testing/turn-elsewhere.ts'

type Home = Awaited<ReturnType<typeof createHome>>

async function latest(at: Pick<Home, 'home'>): Promise<SessionView> {
  return SessionView.parse(JSON.parse((await parley(['sessions', '--json'], at)).stdout).items[0])
}

/** A data folder with a session whose answer was killed in the middle, and the events that were seen of it. */
async function kill() {
  const place = await createHome()
  const child = startParley([...(await prepareLongAnswer(place.home)), '--json'], place)
  child.stdin.end()
  const seen = await readUntil(child.stdout, /"agent:token"[^\n]*\n/)
  child.kill('SIGKILL')
  await waitForEnd(child)
  return { ...place, seen: parseEvents(seen.slice(0, seen.lastIndexOf('\n'))) }
}

let dead: Awaited<ReturnType<typeof kill>>
beforeAll(async () => {
  dead = await kill()
})
afterAll(() => dead[Symbol.asyncDispose]())

/** A copy of what the kill has left, of one's own; the session works where it did. */
const killed = async () => {
  const { home, [Symbol.asyncDispose]: remove } = await createFolder()
  await cp(dead.home, home, { recursive: true })
  const at = { home, folder: dead.home, [Symbol.asyncDispose]: remove }
  const { id } = await latest(at)
  return { ...at, id, seen: dead.seen }
}

test('[S4] a missing session is reported before errors of the message', async () => {
  await using at = await createHome()
  const { code, stderr } = await parley(['resume', 'nosuch'], { ...at, input: '' })
  expect(code).not.toBe(0)
  expect(stderr).toContain('nosuch')
  expect(stderr).not.toContain('The message is empty')
})

describe('[X4] an answer that was killed', () => {
  test('[S4] is listed and shown as interrupted, and its message is saved', async () => {
    await using at = await killed()
    const { id } = at
    expect((await latest(at)).openTurn?.state).toBe('interrupted')
    expect((await parley(['sessions'], at)).stdout).toContain('1  [interrupted] Read it all back\n')
    expect((await parley(['sessions', 'show', id], at)).stdout).toContain(
      'Read it all back\n[file long.txt, 1 line]\n\n[interrupted before an answer]\n',
    )
  })

  test('[S4] is ended when the user sends another message', async () => {
    await using at = await killed()
    const { id } = at
    const said = await parley(['resume', id, '--message', 'Hello'], at)
    expect(said).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^Hello\. I am the offline model/),
      stderr: 'parley: The previous answer was interrupted; your earlier message is saved but unanswered.\n',
    })
    expect(await latest(at)).toMatchObject({ id, messageCount: 3 })
    expect((await latest(at)).openTurn).toBeUndefined()
    expect((await parley(['resume', id, '--message', 'Hello'], at)).stderr).toBe('')
  })

  test('[S4] [S6] is continued once by --continue, with higher numbers', async () => {
    await using at = await killed()
    const { id, seen } = at
    const { code, stdout, stderr } = await parley(['resume', id.slice(4, 12), '--continue', '--json'], at)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const events = parseEvents(stdout)
    expect(events[0]).toMatchObject({
      type: 'session:turn_started',
      continued: true,
      message: { sequenceNumber: 1 },
    })
    expect(events.at(-1)).toMatchObject({ type: 'session:turn_completed', stopReason: 'completed' })
    expect(events[0]?.sequenceNumber).toBeGreaterThan(seen.at(-1)?.sequenceNumber ?? Infinity)
    expect(await latest(at)).toMatchObject({ id, messageCount: 2 })
    expect((await parley(['sessions', 'show', id], at)).stdout.slice(-20)).toMatch(/on and over\n$/)

    const again = await parley(['resume', id, '--continue'], at)
    expect(again).toMatchObject({ code: 2, stdout: '' })
    expect(again.stderr).toContain('there is nothing to continue.\n')
  })

  test('[S4] prints only its answer without a terminal', async () => {
    await using at = await killed()
    const { id } = at
    const { code, stdout, stderr } = await parley(['resume', id, '--continue'], {
      ...at,
      input: 'not a message',
    })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout.slice(0, 30)).toMatch(/^long\.txt:\n\non and on and /)
    expect(stdout.slice(-20)).toMatch(/on and over\n$/)
  })

  test('can be deleted', async () => {
    await using at = await killed()
    const { id } = at
    expect((await parley(['sessions', 'delete', id, '--yes'], at)).code).toBe(0)
    expect((await parley(['sessions'], at)).stdout).toContain('There are no sessions yet')
  })
})

describe('[S2] another agent creates a fork', () => {
  const HELPER = 'id: helper\nname: Helper\nprovider: offline\nmodel: offline\nmax_tokens: 3\n'

  test('the new session has the same past, and the old one is unchanged', async () => {
    await using at = await createHome()
    await writeFile(join(at.home, 'helper.agent.yaml'), HELPER)
    await parley(['chat', '--message', 'My sister lives in Oslo.'], at)
    const old = await latest(at)
    const forked = await parley(
      ['resume', old.id, '--agent', 'helper.agent.yaml', '--message', 'Where does my sister live?'],
      at,
    )
    const { id, title, messageCount } = await latest(at)
    expect(forked.stdout).toMatch(/^From what you\s*\n$/)
    expect(forked.stderr).toContain(
      `parley: This is a new session, ${id}, with the same past as ${old.id}.\n`,
    )
    expect({ title, messageCount }).toEqual({ title: 'My sister lives in Oslo.', messageCount: 4 })
    expect((await parley(['sessions', 'show', id], at)).stdout).toMatch(/^Helper /m)
    const { session } = JSON.parse((await parley(['sessions', 'show', old.id, '--json'], at)).stdout)
    expect(session).toMatchObject({ messageCount: 2, agentSlug: 'offline' })
  })

  test('with --json its start is the first event; a note replaces the unanswered message', async () => {
    await using at = await killed()
    const { id: old } = at
    const { code, stdout, stderr } = await parley(
      ['resume', old, '--agent', 'offline', '--message', 'Hello', '--json'],
      at,
    )
    expect(code).toBe(0)
    expect(stderr).toContain(`the same past as ${old}; the model sees a note for each unanswered message.\n`)
    const [started, opened] = parseEvents(stdout)
    expect(started).toMatchObject({ type: 'session:started', agent: { id: 'offline' } })
    expect(started?.sessionId).not.toBe(old)
    expect(opened).toMatchObject({ type: 'session:turn_started', message: { sequenceNumber: 2 } })
  })
})

test.each([
  ['an unknown agent', ['--agent', 'ofline'], 'There is no agent "ofline"; did you mean "offline"?'],
  ['--continue with a message', ['--continue', '-m', 'Hi'], '--continue answers the last message;'],
  ['--continue with a model', ['--continue', '--model', 'offline/offline'], '--continue keeps the agent of'],
  ['--continue with an agent', ['--continue', '-a', 'offline'], '--continue keeps the agent of'],
])('%s is bad input', async (_, args, message) => {
  await using at = await createHome()
  await parley(['chat', '--message', 'Hello'], at)
  const told = await parley(['resume', ...args], { ...at, input: 'Hi' })
  expect(told).toMatchObject({ code: 2, stdout: '' })
  expect(told.stderr).toContain(`parley: ${message}`)
})

describe('while another terminal uses the session', () => {
  test('[S2] a message is refused, with the command that stops the answer', async () => {
    await using at = await createHome()
    await using turn = await startTurnElsewhere(at.home, 'running')
    for (const args of [['--message', 'Hello'], ['--continue']]) {
      const { code, stdout, stderr } = await parley(['resume', turn.id, ...args], at)
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
      expect(stderr).toBe(
        'parley: Another turn is running in this session.\n' +
          `  Wait until it is done, or stop it: \`parley sessions cancel ${turn.id.slice(4, 12)}\`.\n`,
      )
    }
  })

  test('[S13] a call that waits for approval is reported, and nothing is sent', async () => {
    await using at = await createHome()
    await using turn = await startTurnElsewhere(at.home, 'waiting')
    const { code, stdout, stderr } = await parley(['resume', turn.id, '--message', 'Hello', '--json'], at)
    expect(code).toBe(3)
    expect(parseEvents(stdout)).toMatchObject([{ type: 'agent:approval_requested', target: 'ls' }])
    expect(stderr).toContain('parley: Waiting for your approval: run_command on ls.\n')
    expect(stderr).toContain('  Your message was not sent.\n')
    expect((await turn.store.find(turn.id))?.session.messageCount).toBe(2)
  })
})
