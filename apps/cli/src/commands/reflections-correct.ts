import { untilPatch } from '@parley/api-client'
import { PlatformError } from '@parley/contracts'
import { EXIT, type ExitCode } from '../exit-code.ts'
import { atServer } from '../reflection/at-server.ts'
import { findFact } from '../reflection/find-fact.ts'
import { findReflection } from '../reflection/find-reflection.ts'
import { PATCH_MARKS, patchLines } from '../reflection/patch-lines.ts'
import { sourceTitles } from '../reflection/source-titles.ts'
import { jsonLine } from '../render/json-line.ts'
import { tell } from '../render/tell.ts'
import { shortId } from '../session/short-id.ts'
import type { CommandCall } from './command.ts'

/** Says how a fact is instead, and shows the patch that this becomes. It counts once a person approves it. */
export async function correctFact(call: CommandCall): Promise<ExitCode> {
  const { io, json, positionals } = call
  const [given = '', named = '', ...words] = positionals
  const correction = words.join(' ').trim()
  if (correction === '') {
    throw new PlatformError('validation', {
      message: 'What is right is missing.',
      mend: 'Write it after the fact, as a sentence: "Ada lives in Bergen."',
    })
  }
  const { client, screen, config } = await atServer(call)
  const { id: reflectionId } = await findReflection(client, given, config)
  const fact = await findFact(client, reflectionId, named)
  const { patchId } = await client.reflections.correct({ reflectionId, fact: fact.id, correction })
  const patch = await untilPatch(client.reflections, { reflectionId, patchId }, () => true)
  const isWaiting = patch.status === 'proposed'
  if (json) io.stdout.write(jsonLine(patch))
  else {
    const titleOf = await sourceTitles(client, reflectionId)
    io.stdout.write(`${patchLines(patch, screen, { titleOf }).join('\n')}\n`)
    io.stdout.write(`${screen.style.dim(PATCH_MARKS)}\n`)
    const ids = `${shortId(reflectionId)} ${shortId(patchId)}`
    if (isWaiting) tell(io.stdout, `It counts once it is approved: parley reflections approve ${ids}`)
  }
  return isWaiting ? EXIT.done : EXIT.refused
}
