import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Puts what takes seconds to say into a folder, and gives the command that has it said. */
export async function withLongAnswer(home: string): Promise<readonly string[]> {
  await writeFile(join(home, 'long.txt'), `${'on and '.repeat(40_000)}over`)
  await writeFile(
    join(home, 'patient.agent.yaml'),
    'id: patient\nprovider: offline\nmodel: offline\nmax_tokens: 999999\n',
  )
  return ['chat', '--agent', 'patient.agent.yaml', '--file', 'long.txt', '--message', 'Read it all back']
}
