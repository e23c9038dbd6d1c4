import { expect, test } from 'vitest'
import { eventsOf } from '../testing/scripted-talk.ts'
import { newHome, parley } from '../testing/parley-process.ts'
import { atTerminal } from '../testing/terminal.ts'

test.each(['dumb', 'xterm'])(
  '[S13] text typed before a question does not answer it, in a %s terminal',
  async (term) => {
    await using at = await newHome()
    const [started] = eventsOf((await parley(['chat', '--message', 'Hello', '--json'], at)).stdout)
    await using terminal = atTerminal(['sessions', 'delete', started?.sessionId ?? ''], { ...at, term })
    await terminal.say('y\ry\ry', /permanently\? \[y\/N\] $/)
    expect(await terminal.say('n', /deleted\./)).toContain('Nothing was deleted.')
  },
)
