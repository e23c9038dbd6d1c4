import { SessionView } from '@parley/contracts'
import { describe, expect, test } from 'vitest'
import { createHome, parley } from '../testing/parley-process.ts'
import { startTurnElsewhere } from '../testing/turn-elsewhere.ts'

type Home = Awaited<ReturnType<typeof createHome>>

/** A home with one session, and its id. */
async function startSession(at: Home, message = 'My sister lives in Oslo.'): Promise<string> {
  const { stdout } = await parley(['chat', '--json', '--message', message], at)
  return (JSON.parse(stdout.split('\n')[0] ?? '') as { sessionId: string }).sessionId
}

const listSessionIds = async (at: Home, ...args: readonly string[]) =>
  (JSON.parse((await parley(['sessions', '--json', ...args], at)).stdout) as { items: SessionView[] }).items

test('sessions are searched by title and messages, ignoring case', async () => {
  await using at = await createHome()
  const oslo = await startSession(at)
  const rome = await startSession(at, 'My brother lives in Rome.')
  await parley(['sessions', 'rename', rome, 'Travels'], at)
  expect((await listSessionIds(at, '--search', 'SISTER lives')).map(({ id }) => id)).toEqual([oslo])
  expect((await listSessionIds(at, '--search', 'travels')).map(({ id }) => id)).toEqual([rome])
  expect((await parley(['sessions', '--search', 'rome'], at)).stdout).toMatch(/2 {2}Travels\n$/)
  expect(await parley(['sessions', '--search', 'Oslo', 'brother'], at)).toEqual({
    code: 0,
    stdout: 'No session contains "Oslo brother".\n',
    stderr: '',
  })
  expect(await parley(['sessions', '--search', ' '], at)).toMatchObject({
    code: 2,
    stderr: 'parley: The option --search must not be empty.\n',
  })
})

test('a session is renamed to all given words', async () => {
  await using at = await createHome()
  const id = await startSession(at)
  const { code, stdout } = await parley(
    ['sessions', 'rename', id.slice(4, 10), 'Letters', 'to \x1b[1mOslo'],
    at,
  )
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'The title is now "Letters to ␛[1mOslo".\n' })
  const named = await parley(['sessions', 'rename', id, 'Letters', '--json'], at)
  expect(SessionView.parse(JSON.parse(named.stdout))).toMatchObject({ id, title: 'Letters', messageCount: 2 })
  expect(await listSessionIds(at)).toMatchObject([{ id, title: 'Letters' }])
})

test.each([
  ['an empty title', ['rename', 'ID', ' '], 'The title must not be empty.'],
  ['a long title', ['rename', 'ID', 'x'.repeat(201)], 'The title has at most 200 characters.'],
  ['no title', ['rename', 'ID'], "missing required argument 'title'"],
  ['an unknown id', ['end', 'zzz'], 'There is no session whose id starts with "zzz".'],
])('%s is bad input', async (_, args, message) => {
  await using at = await createHome()
  const id = await startSession(at)
  const told = await parley(['sessions', ...args.map((word) => (word === 'ID' ? id : word))], at)
  expect(told).toMatchObject({ code: 2, stdout: '' })
  expect(told.stderr).toContain(`parley: ${message}\n`)
})

test('[S2] an ended session is kept and marked, and accepts no more messages', async () => {
  await using at = await createHome()
  const id = await startSession(at)
  expect((await parley(['sessions', 'end', id.slice(4, 10)], at)).stdout).toBe(
    '"My sister lives in Oslo." has ended.\n',
  )
  expect((await parley(['sessions'], at)).stdout).toContain('2  [ended] My sister lives in Oslo.\n')
  const refused = await parley(['resume', id, '--message', 'Hello'], at)
  expect(refused).toMatchObject({ code: 1, stdout: '' })
  expect(refused.stderr).toMatch(
    /^parley: This session has ended\.\n {2}`parley resume \w{8} --agent offline`/,
  )
  const again = await parley(['sessions', 'end', id, '--json'], at)
  expect(SessionView.parse(JSON.parse(again.stdout))).toMatchObject({ id, status: 'ended' })
  expect((await parley(['sessions', 'show', id], at)).stdout).toContain('My sister lives in Oslo.')
})

describe('deleting', () => {
  test('[X5] --yes deletes the session', async () => {
    await using at = await createHome()
    const id = await startSession(at)
    const kept = await startSession(at, 'My brother lives in Rome.')
    expect(await parley(['sessions', 'delete', id.slice(4, 10), '--yes'], at)).toEqual({
      code: 0,
      stdout: '"My sister lives in Oslo." is deleted.\n',
      stderr: '',
    })
    expect(await parley(['sessions', 'show', id], at)).toMatchObject({ code: 2, stdout: '' })
    expect(await listSessionIds(at, '--search', 'Oslo')).toEqual([])
    expect((await listSessionIds(at)).map((session) => session.id)).toEqual([kept])
    const { stdout } = await parley(['sessions', 'delete', kept, '-y', '--json'], at)
    expect(JSON.parse(stdout)).toEqual({ sessionId: kept, deleted: true })
  })

  test.each([[[]], [['--json']]])('deleting without a terminal needs --yes %j', async (more) => {
    await using at = await createHome()
    const id = await startSession(at)
    const { code, stderr } = await parley(['sessions', 'delete', id, ...more], { ...at, input: 'y\n' })
    expect(code).toBe(2)
    expect(stderr).toBe('parley: This needs a terminal to confirm.\n  Add --yes to do it without asking.\n')
    expect(await listSessionIds(at)).toHaveLength(1)
  })
})

describe('while a turn is open', () => {
  test.each([
    ['running', 'parley: An answer is running in this session, in another terminal.\n'],
    ['waiting', 'parley: The last answer in this session is waiting for your approval.\n'],
  ] as const)('[S2] a session that is %s is neither ended nor deleted', async (kind, sentence) => {
    await using at = await createHome()
    await using turn = await startTurnElsewhere(at.home, kind)
    expect((await parley(['sessions'], at)).stdout).toContain(`[${kind}] Count the files\n`)
    for (const command of [['end'], ['delete', '--yes']]) {
      const refused = await parley(['sessions', ...command, turn.id], at)
      expect(refused).toMatchObject({ code: 1, stdout: '' })
      expect(refused.stderr).toContain(sentence)
      expect(refused.stderr).toContain(`\`parley sessions cancel ${turn.id.slice(4, 12)}\``)
    }
    expect((await turn.store.find(turn.id))?.session.status).toBe('active')
  })

  test('[S2] an answer in another terminal is stopped, and its text is saved', async () => {
    await using at = await createHome()
    await using turn = await startTurnElsewhere(at.home, 'running')
    expect(await parley(['sessions', 'cancel', turn.id.slice(4)], at)).toEqual({
      code: 0,
      stdout: 'Stopped the answer in "Count the files".\n',
      stderr: '',
    })
    expect(await turn.ended).toBe('cancelled')
    expect((await parley(['sessions', 'show', turn.id], at)).stdout).toMatch(/0 1 2[^]*\[stopped\]\n$/)
    const { stdout } = await parley(['sessions', 'cancel', turn.id, '--json'], at)
    expect(JSON.parse(stdout)).toEqual({ sessionId: turn.id, cancelled: false })
  })

  test('[S2] an answer that waits for approval is cancelled', async () => {
    await using at = await createHome()
    await using turn = await startTurnElsewhere(at.home, 'waiting')
    const { stdout } = await parley(['sessions', 'cancel', turn.id, '--json'], at)
    expect(JSON.parse(stdout)).toEqual({ sessionId: turn.id, cancelled: true })
    expect((await turn.store.find(turn.id))?.openTurn).toBeUndefined()
  })
})
