import { expect, test } from 'vitest'
import { parseEvents } from '../testing/scripted-chat.ts'
import { createHome, parley } from '../testing/parley-process.ts'
import { openTerminal } from '../testing/terminal.ts'

test.each(['dumb', 'xterm'])(
  '[S13] text typed before a question does not answer it, in a %s terminal',
  async (term) => {
    await using at = await createHome()
    const [started] = parseEvents((await parley(['chat', '--message', 'Hello', '--json'], at)).stdout)
    await using terminal = openTerminal(['sessions', 'delete', started?.sessionId ?? ''], { ...at, term })
    await terminal.say('y\ry\ry', /permanently\? \[y\/N\] $/)
    expect(await terminal.say('n', /changed\./)).toContain('Nothing was changed.')
  },
)
