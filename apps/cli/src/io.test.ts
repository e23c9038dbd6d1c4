import { expect, test } from 'vitest'
import { prepareLongAnswer } from './testing/scripted-chat.ts'
import { createHome, parley, readUntil, startParley, readText } from './testing/parley-process.ts'
import { openTerminal } from './testing/terminal.ts'

type Home = Awaited<ReturnType<typeof createHome>>

test.each([
  ['as text', []],
  ['as events', ['--json']],
])('[S2] a closed pipe stops the answer %s; the partial text is saved and marked', async (_, more) => {
  await using at = await createHome()
  const child = startParley([...(await prepareLongAnswer(at.home)), ...more], at)
  child.stdin.end()
  await readUntil(child.stdout, /on and/)
  child.stdout.destroy()
  const [stderr, code] = await Promise.all([
    readText(child.stderr),
    new Promise((resolve) => child.on('close', resolve)),
  ])
  expect({ code, stderr }).toEqual({ code: 4, stderr: '' })
  expect(await readShown(at)).toMatch(/on and[^]*\[stopped\]\n$/)
})

test('[S2] closing the terminal stops a single answer; the partial text is saved and marked', async () => {
  await using at = await createHome()
  await using terminal = openTerminal(await prepareLongAnswer(at.home), at)
  await terminal.until(/on and on/)
  await terminal.breakOff()
  await expect.poll(() => readShown(at), TIMEOUT_MS).toMatch(/on and[^]*\[stopped\]\n$/)
})

test.each(['dumb', 'xterm-256color'])(
  '[S2] closing a %s terminal stops the answer at a prompt; the partial text is saved and marked',
  async (term) => {
    await using at = await createHome()
    const [, ...options] = (await prepareLongAnswer(at.home)).slice(0, -2)
    await using terminal = openTerminal(['chat', ...options], { ...at, term })
    await terminal.until(/[>›] /)
    await terminal.say('Read it all back', /on and/)
    await terminal.breakOff()
    await expect.poll(() => readShown(at), TIMEOUT_MS).toMatch(/on and[^]*\[stopped\]\n$/)
  },
)

const TIMEOUT_MS = { timeout: 60_000, interval: 300 }

const readShown = async (at: Home): Promise<string> => {
  const list = await parley(['sessions', '--json'], at)
  const { items } = JSON.parse(list.stdout) as { items: readonly { id: string }[] }
  return (await parley(['sessions', 'show', items[0]?.id ?? ''], at)).stdout
}
