import { EXIT, type ExitCode } from '../exit-code.ts'
import { atServer } from '../reflection/at-server.ts'
import { findPatch } from '../reflection/find-patch.ts'
import { findReflection } from '../reflection/find-reflection.ts'
import { PATCH_MARKS, patchLines } from '../reflection/patch-lines.ts'
import { sourceTitles } from '../reflection/source-titles.ts'
import { jsonLine } from '../render/json-line.ts'
import type { CommandCall } from './command.ts'

/** Prints one patch with all of its facts. */
export async function showPatch(call: CommandCall): Promise<ExitCode> {
  const { io, json, positionals } = call
  const { client, screen, config } = await atServer(call)
  const [reflection = '', given = ''] = positionals
  const { id: reflectionId } = await findReflection(client, reflection, config)
  const patch = await findPatch(client, reflectionId, given)
  if (json) {
    io.stdout.write(jsonLine(patch))
    return EXIT.done
  }
  const titleOf = await sourceTitles(client, reflectionId)
  io.stdout.write(`${patchLines(patch, screen, { titleOf }).join('\n')}\n${screen.style.dim(PATCH_MARKS)}\n`)
  return EXIT.done
}
